import type { GaugeMetric, Logger, Metrics } from '@vuka/runtime';
import CircuitBreaker from 'opossum';

export interface CircuitOptions {
  readonly callee: string;
  /** An error answer is no outage: the service is there. */
  readonly isOutage: (error: unknown) => boolean;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Nothing was sent. */
export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError';
}

/** The minimum count keeps one slow call from opening it. */
const OPENING = {
  rollingCountTimeout: 10_000,
  rollingCountBuckets: 10,
  errorThresholdPercentage: 50,
  volumeThreshold: 10,
};
const RESET_MS = 1_000;
const STATES = { closed: 0, halfOpen: 1, open: 2 };

type Work = () => Promise<unknown>;

/** Fails fast while a service is away, and spares it a crowd when it returns. */
export class Circuit {
  private breaker: CircuitBreaker<[Work]>;
  private readonly gauge: GaugeMetric<'callee'>;
  private why: string | undefined;

  constructor(private readonly options: CircuitOptions) {
    this.gauge = options.metrics.gauge(
      'vuka_internal_circuit_state',
      'Circuit of a service: 0 closed (calls pass), 1 half open (one call passes), 2 open (no call passes)',
      ['callee'],
    );
    this.breaker = this.freshBreaker();
  }

  /**
   * Throws CircuitOpenError at once. A call that is not `fair` has too little time for any answer: it is not counted
   * and never probes.
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

  /** true, or the reason. */
  get state(): true | string {
    return this.why ?? true;
  }

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
      // Calls have their own deadlines.
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

  /** Logs once per outage: each failed probe opens it again. */
  private opened(cause: unknown): void {
    const { callee, log } = this.options;
    this.gauge.set({ callee }, STATES.open);
    const first = this.why === undefined;
    const reason = cause instanceof Error ? cause.message : 'no answer';
    this.why = `not called, because it does not answer (${reason})`;
    if (first)
      log.error(
        { code: 'service_unreachable', callee, err: cause },
        'a service does not answer: it is now called only once a second',
      );
  }

  /** opossum keeps the counts of the outage, so a new breaker is made. */
  private closed(breaker: CircuitBreaker<[Work]>): void {
    const { callee, log } = this.options;
    breaker.shutdown();
    this.why = undefined;
    this.breaker = this.freshBreaker();
    log.info({ callee }, 'a service answers again: it is called as before');
  }
}

function isOpen(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return (
    error instanceof Error && CircuitBreaker.isOurError(error) && (code === 'EOPENBREAKER' || code === 'ESHUTDOWN')
  );
}
