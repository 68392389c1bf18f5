import type { InternalHandlers, notifierApi } from '@vuka/contracts';
import { fail, ok, type Result } from '@vuka/domain';
import { isCancelled, type Database, type DatabaseConfig } from '@vuka/persistence';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';

import { DeliveryLogStore } from './delivery-log.store.js';
import { cursorOf, deliveryViewOf, ListDeliveries, placeOf, storedState } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';

type Operations = Omit<InternalHandlers<typeof notifierApi>, 'ensureWebhookSecret'>;

export interface DeliveryOperationsParts {
  /** Apart from the deliverer's: whoever looks through a million rows, has many sent again or many tests at once, keeps no delivery waiting. */
  readonly lists: Database;
  /** The deliverer's. */
  readonly signal: WakeSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long reading one list may take: within a request, which has 2 s. */
const LIST_TIMEOUT_MS = 1_500;
/** Lists read at once, all partners together. */
const LISTS_AT_ONCE = 2;

/** The same schema, by connections of their own. */
export function forLists(database: Omit<DatabaseConfig, 'migrations' | 'entities'>): DatabaseConfig {
  return {
    ...database,
    migrations: [],
    maxConnections: LISTS_AT_ONCE,
    statementTimeoutMs: LIST_TIMEOUT_MS,
    applicationName: `${database.applicationName} lists`,
  };
}

const NOT_IN_TIME: Result<never> = fail({
  code: 'service_unavailable',
  message: 'Others are at the same webhooks, and there was no time to wait for them. Nothing was changed; try again',
});

/** What partners may ask of their deliveries, through the gateway. */
export function deliveryOperations({ lists, signal, clock, log }: DeliveryOperationsParts): Operations {
  const tests = new SendTestWebhook(lists, signal, clock);
  const resends = new ResendDeliveries(lists, signal, clock);
  const list = new ListDeliveries(new DeliveryLogStore(lists), log);
  return {
    testWebhook: async ({ partner_id: partnerId, url }, { traceparent }) => {
      const sent = await inTime(tests.run(partnerId, url, traceparent));
      return sent.ok ? ok(deliveryViewOf(sent.value)) : sent;
    },
    listDeliveries: (input) => list.run(input),
    resendDelivery: async ({ partner_id: partnerId, delivery_id: id }) => {
      const resent = await inTime(resends.one(partnerId, id));
      return resent.ok ? ok(deliveryViewOf(resent.value)) : resent;
    },
    resendDeliveries: async ({ partner_id: partnerId, state, event, from, before, cursor }) => {
      const behind = placeOf(cursor);
      if (!behind.ok) return behind;
      const done = await resends.batch({
        partnerId,
        event,
        state: storedState(state),
        behind: behind.value,
        from: from === null ? null : new Date(from),
        before: before === null ? null : new Date(before),
      });
      if (!done.ok) return done;
      const { resent, upTo } = done.value;
      return ok({ resent, next_cursor: upTo === null ? null : cursorOf(upTo) });
    },
  };
}

/** A turn or a row that others have for longer than a statement may take. */
async function inTime<T>(work: Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await work;
  } catch (error) {
    if (isCancelled(error)) return NOT_IN_TIME;
    throw error;
  }
}
