import { type Logger, type Metrics, RefusalLog, systemClock } from '@vuka/runtime';
import type { FastifyRequest } from 'fastify';

export type RefusalReason =
  /** No credential that this service accepts. */
  | 'credential_unknown'
  /** The caller needs no such operation (`callers` of its row). */
  | 'operation_not_allowed'
  /** A person's credential at an operation of services, or the other way round. */
  | 'wrong_kind';

/** One caller that does it all the time fills no log. */
const LOG_AGAIN_MS = 60_000;

/** Counts each refused call, logs samples of them, and alarms for each kind of misplaced call once a minute. */
export class RefusedCalls {
  private readonly refusals: RefusalLog;
  /** Bounded by accepted callers and known operations. */
  private readonly loggedAt = new Map<string, number>();

  constructor(
    metrics: Metrics,
    private readonly log: Logger,
  ) {
    const counter = metrics.counter(
      'vuka_internal_refused_total',
      'Calls that were refused before they were read: by whom they came, or what they asked',
      ['reason'],
    );
    this.refusals = new RefusalLog(log, counter, systemClock);
  }

  note(reason: RefusalReason, request: FastifyRequest): void {
    const { operation = '' } = (request.params ?? {}) as { readonly operation?: string };
    this.refusals.note({
      what: `${request.routeOptions.url ?? ''} ${operation}`.trim(),
      reason,
      address: request.ip,
      // Not there where the credential is unknown.
      keyPrefix: (request.internalCaller as { readonly caller: string } | undefined)?.caller,
    });
  }

  /** A caller with a credential of ours asks what it has no need of: it has gone wrong, or somebody else has it. */
  tell(reason: RefusalReason, caller: string, operation: string): void {
    const kind = `${caller} ${operation}`;
    const now = performance.now();
    if (now - (this.loggedAt.get(kind) ?? -Infinity) < LOG_AGAIN_MS) return;
    this.loggedAt.set(kind, now);
    this.log.error(
      { code: 'internal_call_refused', reason, caller, operation },
      'a caller asks for an operation that it does not need: it is refused',
    );
  }
}
