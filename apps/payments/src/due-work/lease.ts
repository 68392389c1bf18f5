import type { Clock, MonotonicClock } from '@vuka/runtime';

/** After `until` others may take the work. */
export interface Lease {
  /** When the claim was asked for, so that a slow database costs lease time. */
  readonly from: Date;
  readonly until: Date;
  /** The same end by the claimer's MonotonicClock. */
  readonly untilMonotonicMs: number;
}

export function leaseFor(ms: number, clock: Clock & MonotonicClock): Lease {
  const from = clock.now();
  return { from, until: new Date(from.getTime() + ms), untilMonotonicMs: clock.monotonicMs() + ms };
}

/** ms surely left: the time of day may be set back, and the monotonic clock stops during sleep. */
export function leftOf({ until, untilMonotonicMs }: Lease, clock: Clock & MonotonicClock): number {
  return Math.min(until.getTime() - clock.now().getTime(), untilMonotonicMs - clock.monotonicMs());
}
