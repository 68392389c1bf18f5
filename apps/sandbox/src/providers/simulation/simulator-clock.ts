import { type Clock, ManualClock } from '@vuka/runtime';

/** The given clock, which can be moved on: a test's own is moved itself, any other is told ahead of. */
export class SimulatorClock implements Clock {
  #aheadMs = 0;

  constructor(private readonly base: Clock) {}

  now(): Date {
    return new Date(this.nowMs);
  }

  get nowMs(): number {
    return this.base.now().getTime() + this.#aheadMs;
  }

  advance(ms: number): void {
    if (this.base instanceof ManualClock) this.base.advance(ms);
    else this.#aheadMs += ms;
  }
}
