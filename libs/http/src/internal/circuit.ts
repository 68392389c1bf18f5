import type { GaugeMetric, Logger, Metrics } from '@vuka/runtime';
import CircuitBreaker from 'opossum';

export interface CircuitOptions {
  /** The service that is called. */
  readonly callee: string;
  /** Whether what `work` threw is an outage. Only outages count: who answers, whatever it says, is there. */
  readonly isOutage: (error: unknown) => boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** No call goes out at the moment: too many before it came to nothing. */
export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError';
}

/** Opens when more than half of the calls of ten seconds came to nothing, and there were so many: one slow call is none. */
const OPENING = {
  rollingCountTimeout: 10_000,
  rollingCountBuckets: 10,
  errorThresholdPercentage: 50,
  volumeThreshold: 10,
};
/** So long nobody is called, then one is, and by how that goes it closes or stays open as long again: a restart takes no longer. */
const RESET_MS = 1_000;
/** Of `vuka_internal_circuit_state`. */
const STATES = { closed: 0, halfOpen: 1, open: 2 };

type Work = () => Promise<unknown>;

/** Spares a caller the wait for a service that is away, and a service that comes back the crowd of those who waited. */
export class Circuit {
  private breaker: CircuitBreaker<[Work]>;
  private readonly gauge: GaugeMetric<'callee'>;
  /** Why it is open or half open; undefined while it is closed. */
  private why: string | undefined;

  constructor(private readonly options: CircuitOptions) {
    this.gauge = options.metrics.gauge(
      'vuka_internal_circuit_state',
      'Of the calls to a service: 0 closed (they go), 1 half open (one goes), 2 open (none goes)',
      ['callee'],
    );
    this.breaker = this.freshBreaker();
  }

  /**
   * What `work` comes to, or CircuitOpenError at once. One that is not `fair`, because too little time was left for anybody to
   * answer in, neither counts nor is tried on a service that may be away.
   */
  async run<T>(work: () => Promise<T>, fair: boolean): Promise<T> {
    if (!fair) {
      if (this.why !== undefined) throw this.openError();
      return work();
    }
    try {
      return (await this.breaker.fire(work)) as T;
    } catch (error) {
      throw isOpen(error) ? this.openError() : error;
    }
  }

  /** true while calls go out, else why not. */
  get state(): true | string {
    return this.why ?? true;
  }

  /** Ends its timers; nothing is called through it any more. */
  shutdown(): void {
    this.breaker.shutdown();
    this.why = 'closed for good';
  }

  private openError(): CircuitOpenError {
    return new CircuitOpenError(this.why ?? 'closed for good');
  }

  private freshBreaker(): CircuitBreaker<[Work]> {
    const { isOutage, callee } = this.options;
    const breaker = new CircuitBreaker((work: Work) => work(), {
      ...OPENING,
      resetTimeout: RESET_MS,
      // Each call has a deadline of its own.
      timeout: false,
      errorFilter: (error) => !isOutage(error),
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
    });
    let last: unknown;
    breaker.on('failure', (error: unknown) => (last = error));
    breaker.on('open', () => this.opened(last));
    breaker.on('halfOpen', () => this.gauge.set({ callee }, STATES.halfOpen));
    breaker.on('close', () => this.closed(breaker));
    this.gauge.set({ callee }, STATES.closed);
    return breaker;
  }

  /** Said once per outage: each probe that fails opens it again. */
  private opened(cause: unknown): void {
    const { callee, log } = this.options;
    this.gauge.set({ callee }, STATES.open);
    const first = this.why === undefined;
    const reason = cause instanceof Error ? cause.message : 'no answer';
    this.why = `not called, because it does not answer (${reason})`;
    if (first)
      log.error(
        { code: 'service_unreachable', callee, err: cause },
        'a service does not answer and is not called any more, save once a second',
      );
  }

  /** A new breaker begins to count from nothing: opossum's would remember the outage, and open again for the next single failure. */
  private closed(breaker: CircuitBreaker<[Work]>): void {
    const { callee, log } = this.options;
    breaker.shutdown();
    this.why = undefined;
    this.breaker = this.freshBreaker();
    log.info({ callee }, 'a service answers again and is called as before');
  }
}

function isOpen(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    error instanceof Error && CircuitBreaker.isOurError(error) && (code === 'EOPENBREAKER' || code === 'ESHUTDOWN')
  );
}
