export class InFlight {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly most: number) {}

  get count(): number {
    return this.running;
  }

  /** undefined: not begun, at the bound. */
  begin<T>(work: () => Promise<T>): Promise<T> | undefined {
    if (this.running >= this.most) return undefined;
    this.running += 1;
    return work().finally(() => {
      this.running -= 1;
      if (this.running === 0) for (const tell of this.waiting.splice(0)) tell();
    });
  }

  empty(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.waiting.push(resolve));
  }
}
