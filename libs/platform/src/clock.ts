/** Where time comes from in every comparison and every stored time; never SQL now(), so that tests can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  private millis: number;

  constructor(start: Date) {
    this.millis = start.getTime();
  }

  now(): Date {
    return new Date(this.millis);
  }

  advance(ms: number): void {
    this.millis += ms;
  }

  set(time: Date): void {
    this.millis = time.getTime();
  }
}
