/** Where time comes from in every comparison and every stored time; never SQL now(), so that tests can move it. */
export interface Clock {
  now(): Date;
}

/**
 * How long ago: whole milliseconds since a moment that means nothing, never fewer than before. The time of day may be set,
 * forwards and back; this goes on by what has passed in this process. It stands still while the machine sleeps.
 */
export interface MonotonicClock {
  monotonicMs(): number;
}

/** A moment by both clocks: the time of day may be set, and the other one stands still while the machine sleeps. */
export interface Moment {
  readonly timeMs: number;
  readonly monotonicMs: number;
}

export function momentOf(clock: Clock & MonotonicClock): Moment {
  return { timeMs: clock.now().getTime(), monotonicMs: clock.monotonicMs() };
}

/** Whether less than `ms` have passed, as far as anybody can tell: a clock set back must not make what is remembered immortal. */
export function isWithin(ms: number, from: Moment, now: Moment): boolean {
  const age = now.timeMs - from.timeMs;
  return age >= 0 && age < ms && now.monotonicMs - from.monotonicMs < ms;
}

export const systemClock: Clock & MonotonicClock = {
  now: () => new Date(),
  monotonicMs: () => Math.floor(performance.now()),
};

/** A clock that stands still until it is moved. */
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

  /** Time passes; less than none sets the time of day back. */
  advance(ms: number): void {
    this.millis += ms;
    this.passedMs += Math.max(0, ms);
  }

  /** The time of day is set, as NTP does: no time passes. */
  set(time: Date): void {
    this.millis = time.getTime();
  }
}
