import { type MonotonicClock, systemClock } from '@vuka/runtime';

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
/** Then the store is asked, which knows the age and what other processes have kept. */
const IN_MEMORY_MS = 24 * 3_600_000;

/** In memory, until a service that has a database gives it a store. */
export class ProviderValues implements KeptValues {
  /** The oldest comes first. */
  private readonly values = new Map<string, { readonly value: string; readonly keptAtMs: number }>();
  private store: KeptValues | null = null;

  constructor(private readonly clock: MonotonicClock = systemClock) {}

  use(store: KeptValues): void {
    this.store = store;
  }

  async read(key: string): Promise<string | null> {
    const kept = this.values.get(key);
    if (kept !== undefined && this.clock.monotonicMs() - kept.keptAtMs < IN_MEMORY_MS) return kept.value;
    this.values.delete(key);
    return (await this.store?.read(key)) ?? null;
  }

  async keep(key: string, value: string): Promise<void> {
    this.values.delete(key);
    this.values.set(key, { value, keptAtMs: this.clock.monotonicMs() });
    const [oldest] = this.values.keys();
    if (this.values.size > MOST && oldest !== undefined) this.values.delete(oldest);
    await this.store?.keep(key, value);
  }
}
