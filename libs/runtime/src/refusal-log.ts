import type { MonotonicClock } from './clock.js';
import type { Logger } from './logger.js';
import type { CounterMetric } from './metrics.js';

/** Never a secret: of a key its visible beginning alone. */
export interface Refusal {
  /** The operation, from a bounded set. */
  readonly what: string;
  /** A code, from a bounded set. */
  readonly reason: string;
  readonly address: string | undefined;
  /** Who it was, or said to be. */
  readonly keyPrefix?: string | undefined;
  readonly requestId?: string | undefined;
}

const WINDOW_MS = 60_000;
/** Of one reason from one address. */
export const FIRST_LOGGED = 5;
/** Of a process, in a window: some 120 kB, also where it starts anew twice in a minute. */
export const MOST_LOGGED = 300;
const MOST_SOURCES = 10_000;
const LONGEST_TEXT = 100;

/**
 * Security events: counted each, logged as samples. A window's first ones of each reason and address are lines of
 * their own (`request_refused`); the rest is one line at its end (`refusals_not_logged`).
 */
export class RefusalLog {
  private readonly seen = new Map<string, number>();
  private readonly left = new Map<string, number>();
  private logged = 0;
  private since = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly counter: CounterMetric<'reason'>,
    private readonly clock: MonotonicClock,
  ) {}

  note({ what, reason, address = '', keyPrefix, requestId }: Refusal): void {
    this.counter.add({ reason });
    if (this.clock.monotonicMs() - this.since >= WINDOW_MS) this.flush();
    const source = `${reason} ${address}`;
    const before = this.seen.get(source) ?? 0;
    if (before >= FIRST_LOGGED || this.logged >= MOST_LOGGED) return this.leaveOut(reason);
    if (this.seen.size < MOST_SOURCES || before > 0) this.seen.set(source, before + 1);
    this.logged += 1;
    const fields = {
      what: short(what),
      reason,
      address: short(address),
      key_prefix: short(keyPrefix),
      request_id: short(requestId),
    };
    this.log.warn({ code: 'request_refused', ...fields }, 'a request was refused');
  }

  /** Ends the window. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.left.size > 0)
      this.log.warn(
        { code: 'refusals_not_logged', by_reason: Object.fromEntries(this.left), window_s: WINDOW_MS / 1_000 },
        'more requests were refused than are logged',
      );
    this.seen.clear();
    this.left.clear();
    this.logged = 0;
    this.since = this.clock.monotonicMs();
  }

  private leaveOut(reason: string): void {
    this.left.set(reason, (this.left.get(reason) ?? 0) + 1);
    this.timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
  }
}

function short(text: string | undefined): string | undefined {
  return text?.slice(0, LONGEST_TEXT);
}
