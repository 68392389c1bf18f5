import type { CounterMetric, Logger, Metrics } from '@vuka/runtime';

export type RefusalReason =
  /** No credential that this service accepts. */
  | 'credential_unknown'
  /** The caller needs no such operation (`callers` of its row). */
  | 'operation_not_allowed'
  /** A person's credential at an operation of services, or the other way round. */
  | 'wrong_kind';

/** One caller that does it all the time fills no log. */
const LOG_AGAIN_MS = 60_000;

/** Counts each refused call, and logs each kind of them once a minute. */
export class RefusedCalls {
  private readonly counter: CounterMetric<'reason'>;
  /** Bounded by accepted callers and known operations. */
  private readonly loggedAt = new Map<string, number>();

  constructor(
    metrics: Metrics,
    private readonly log: Logger,
  ) {
    this.counter = metrics.counter(
      'vuka_internal_refused_total',
      'Calls that were refused before they were read: by whom they came, or what they asked',
      ['reason'],
    );
  }

  count(reason: RefusalReason): void {
    this.counter.add({ reason });
  }

  /** A caller with a credential of ours asks what it has no need of: it has gone wrong, or somebody else has it. */
  tell(reason: RefusalReason, caller: string, operation: string): void {
    this.count(reason);
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
