import type { Clock, MonotonicClock } from '@vuka/runtime';

import type { ClaimedAttempt } from '../../transactions/index.js';

type Known = Pick<ClaimedAttempt, 'providerReference' | 'firstSentAt' | 'sentUntil' | 'lease'>;

/** By the monotonic clock of this process. */
interface Seen {
  readonly firstMs: number;
  /** Which last submit `quietFromMs` is about. */
  readonly sentUntilMs: number;
  /** Surely no call that pays left later. */
  readonly quietFromMs: number;
}

const MOST = 10_000;

/**
 * How old attempts are, where money depends on it. The time of day may be set, and then tells any age. So this process
 * also measures how long it has known an attempt. What it forgets (after a restart, or the oldest of many) it
 * measures anew, which only delays.
 */
export class AttemptAges {
  private readonly seen = new Map<string, Seen>();

  constructor(
    private readonly clock: Clock & MonotonicClock,
    private readonly most = MOST,
  ) {}

  /** The attempt may have been sent, under this claim or before. */
  see(attempt: Known): void {
    this.know(attempt, attempt.sentUntil?.getTime() ?? 0);
  }

  /** A call that pays left under this claim. */
  sent(attempt: Known): void {
    this.know(attempt, attempt.lease.until.getTime());
  }

  /** ms since the first submit: at least that. After a clock was set back to before it: unknown, null. */
  sinceFirstSent({ providerReference, firstSentAt }: Known): number | null {
    const since = this.clock.now().getTime() - firstSentAt.getTime();
    if (since < 0) return null;
    const seen = this.seen.get(providerReference);
    return seen === undefined ? since : Math.max(since, this.clock.monotonicMs() - seen.firstMs);
  }

  /** True if both clocks say that so much time had passed since the last submit when this was called. */
  isQuietFor(ms: number, { providerReference, sentUntil }: Known): boolean {
    const seen = this.seen.get(providerReference);
    if (sentUntil === null || seen === undefined || seen.sentUntilMs !== sentUntil.getTime()) return false;
    return this.clock.now().getTime() >= sentUntil.getTime() + ms && this.clock.monotonicMs() >= seen.quietFromMs + ms;
  }

  /**
   * Another process may hold the attempt still, where our time of day is ahead. Its lease began before this claim, so
   * that it ends before a lease of the same length.
   */
  private know({ providerReference, lease }: Known, sentUntilMs: number): void {
    const before = this.seen.get(providerReference);
    if (before?.sentUntilMs === sentUntilMs) return;
    const claimedMs = lease.untilMonotonicMs - (lease.until.getTime() - lease.from.getTime());
    this.seen.delete(providerReference);
    this.seen.set(providerReference, {
      firstMs: before?.firstMs ?? claimedMs,
      sentUntilMs,
      quietFromMs: lease.untilMonotonicMs,
    });
    const [oldest] = this.seen.keys();
    if (this.seen.size > this.most && oldest !== undefined) this.seen.delete(oldest);
  }
}
