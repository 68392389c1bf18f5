/**
 * What adapters keep over restarts to save calls, such as ids that a provider gave to recipients. Anything may be gone at
 * any time: nothing may depend on it but speed.
 * Keys and values hold no account number, no name and no secret: keys are keyed digests.
 */
export interface KeptValues {
  /** null: none, or not known now. Never rejects. */
  read(key: string): Promise<string | null>;
  /** Instead of the one before. `value`: 1 to 200 characters. Never rejects. */
  keep(key: string, value: string): Promise<void>;
}

/** Beyond it the oldest are forgotten. */
const MOST = 10_000;

/** In memory, until a service that has a database gives it a store. */
export class ProviderValues implements KeptValues {
  private readonly values = new Map<string, string>();
  private store: KeptValues | null = null;

  use(store: KeptValues): void {
    this.store = store;
  }

  async read(key: string): Promise<string | null> {
    return this.values.get(key) ?? (await this.store?.read(key)) ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    this.values.delete(key);
    this.values.set(key, value);
    const [oldest] = this.values.keys();
    if (this.values.size > MOST && oldest !== undefined) this.values.delete(oldest);
    await this.store?.keep(key, value);
  }
}
