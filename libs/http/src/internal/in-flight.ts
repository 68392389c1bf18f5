/** Work at once, up to a bound. */
export class InFlight {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get count(): number {
    return this.running;
  }

  /** Begins `work`, or does not and answers undefined where there is as much already. */
  begin<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.running >= this.most) return undefined;
    this.running += 1;
    return work().finally(() => {
      this.running -= 1;
      if (this.running === 0) for (const tell of this.waiting.splice(0)) tell();
    });
  }

  /** Resolves once nothing runs. */
  empty(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }
}
