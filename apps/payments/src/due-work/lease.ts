import type { Clock, MonotonicClock } from '@vuka/runtime';

/** How long claimed work is its claimer's. Whoever finds `until` passed takes it over. */
export interface Lease {
  /** When the claim was asked for: a slow answer of the database is time of the lease. */
  readonly from: Date;
  readonly until: Date;
  /** The same end by the claimer's own MonotonicClock. */
  readonly untilMonotonicMs: number;
}

export function leaseFor(ms: number, clock: Clock & MonotonicClock): Lease {
  const from = clock.now();
  return { from, until: new Date(from.getTime() + ms), untilMonotonicMs: clock.monotonicMs() + ms };
}

/** Milliseconds left as far as anybody can be sure: the time of day may be set back, and the other clock stands still while the machine sleeps. */
export function leftOf({ until, untilMonotonicMs }: Lease, clock: Clock & MonotonicClock): number {
  return Math.min(until.getTime() - clock.now().getTime(), untilMonotonicMs - clock.monotonicMs());
}
