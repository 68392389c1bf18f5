/** Nothing was begun. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError';

  constructor() {
    super('too many wait for their turn');
  }
}

/** Limits concurrent work; at most `mostWaiting` more wait, in order. */
export class InTurn {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly atOnce: number,
    private readonly mostWaiting: number,
  ) {}

  /** Throws QueueFullError. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.atOnce) this.running += 1;
    else if (this.waiting.length >= this.mostWaiting) throw new QueueFullError();
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.running -= 1;
      else next();
    }
  }
}
