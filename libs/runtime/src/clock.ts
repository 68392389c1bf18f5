/** Never SQL now(), so that tests can move time. */
export interface Clock {
  now(): Date;
}

/** Whole ms, never decreasing, whatever the time of day. Stops while the machine sleeps. */
export interface MonotonicClock {
  monotonicMs(): number;
}

export interface Moment {
  readonly timeMs: number;
  readonly monotonicMs: number;
}

export function momentOf(clock: Clock & MonotonicClock): Moment {
  return { timeMs: clock.now().getTime(), monotonicMs: clock.monotonicMs() };
}

/** By both clocks: one set back must not keep entries for ever. */
export function isWithin(ms: number, from: Moment, now: Moment): boolean {
  const age = now.timeMs - from.timeMs;
  return age >= 0 && age < ms && now.monotonicMs - from.monotonicMs < ms;
}

export const systemClock: Clock & MonotonicClock = {
  now: () => new Date(),
  monotonicMs: () => Math.floor(performance.now()),
};

export class ManualClock implements Clock, MonotonicClock {
  private millis: number;
  private passedMs = 0;

  constructor(start: Date) {
    this.millis = start.getTime();
  }

  now(): Date {
    return new Date(this.millis);
  }

  monotonicMs(): number {
    return this.passedMs;
  }

  /** Negative: sets the time of day back. */
  advance(ms: number): void {
    this.millis += ms;
    this.passedMs += Math.max(0, ms);
  }

  /** Like NTP. */
  set(time: Date): void {
    this.millis = time.getTime();
  }
}
