import type { MonotonicClock } from '@vuka/runtime';

/** What other processes wrote is seen within this. */
export const READ_AGAIN_AFTER_MS = 1_000;

/** A small table in memory, read again once a second where it is asked for. Both reject if the database is away. */
export class CachedRead<T> {
  private known: { readonly value: T; readonly readAt: number } | undefined;
  private reading: Promise<T> | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly clock: MonotonicClock,
  ) {}

  async get(): Promise<T> {
    const { known } = this;
    if (known !== undefined && this.clock.monotonicMs() - known.readAt < READ_AGAIN_AFTER_MS) return known.value;
    return this.readOnce();
  }

  /** From committed data: a read that began before the call does not count. */
  async now(): Promise<T> {
    await this.reading;
    return this.readOnce();
  }

  private readOnce(): Promise<T> {
    return (this.reading ??= this.keep().finally(() => {
      this.reading = undefined;
    }));
  }

  private async keep(): Promise<T> {
    const readAt = this.clock.monotonicMs();
    const value = await this.read();
    this.known = { value, readAt };
    return value;
  }
}
