import type { OpenDesks } from '@vuka/admin';
import { deskApi, type DeskCalls, type DeskMethods } from '@vuka/contracts';
import type { AdminFile, DeskName } from '@vuka/data-folder';
import { HttpServices, newCallContext, remoteDesk } from '@vuka/http';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';

/** The ledger check reads everything there is; no call is let go on for longer (libs/http). */
const CALL_WITHIN_MS = 60_000;

/** The desks of services that run, each at its own address. Calls throw DeskRefusedError, ServiceUnavailableError, DeadlineExceededError. */
export function openRemoteDesks({ urls, credential }: AdminFile): OpenDesks {
  const log = createLogger('desk', {
    level: 'fatal',
    destination: { write: (line) => void process.stderr.write(line) },
  });
  const services = new HttpServices({ urls, credential, log, clock: systemClock, metrics: new Metrics('desk') });
  const deskOf = <M extends DeskMethods>(service: DeskName): DeskCalls<M> => {
    // By its own name: that is what people are told of where it does not answer.
    const client = services.client({ ...deskApi, service });
    return remoteDesk<M>(async (method, args) => {
      const answer = await client.desk(
        { service, method, args },
        newCallContext({ budgetMs: CALL_WITHIN_MS }, systemClock),
      );
      return answer.ok ? { ok: true, value: answer.value.answer } : answer;
    });
  };
  return {
    desks: {
      gateway: deskOf('gateway'),
      payments: deskOf('payments'),
      offramp: deskOf('offramp'),
      checkout: deskOf('checkout'),
      notifier: deskOf('notifier'),
    },
    close: () => services.close(),
  };
}
