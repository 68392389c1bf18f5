import type { NameAnswer } from '@vuka/payouts';
import type { Clock } from '@vuka/platform';

/** What a rail said and may be said again for a while. That it did not answer is no knowledge. */
export type KnownName = Exclude<NameAnswer, { readonly outcome: 'failed' }>;

/** Remembers answers by a key that tells nothing of the destination. One outside this process has to seal what it holds: names. */
export interface NameCache {
  get(key: string): Promise<KnownName | null>;
  put(key: string, known: KnownName, ttlMs: number): Promise<void>;
}

interface Entry {
  readonly known: KnownName;
  readonly expiresAtMs: number;
}

/** How often what has expired is thrown away: names of people are not kept for nothing. */
const SWEEP_EVERY_MS = 10_000;

/** A cache in this process. When it is full the oldest entry goes. */
export class MemoryNameCache implements NameCache {
  private readonly entries = new Map<string, Entry>();
  private sweepAtMs = 0;

  constructor(
    private readonly clock: Clock,
    private readonly maxEntries = 10_000,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  async get(key: string): Promise<KnownName | null> {
    const entry = this.entries.get(key);
    return entry === undefined || entry.expiresAtMs <= this.nowMs() ? null : entry.known;
  }

  async put(key: string, known: KnownName, ttlMs: number): Promise<void> {
    const nowMs = this.nowMs();
    this.sweep(nowMs);
    // Taken out first, so that a key that is known already becomes the newest.
    this.entries.delete(key);
    this.entries.set(key, { known, expiresAtMs: nowMs + ttlMs });
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.maxEntries && oldest !== undefined) this.entries.delete(oldest);
  }

  private sweep(nowMs: number): void {
    if (nowMs < this.sweepAtMs) return;
    this.sweepAtMs = nowMs + SWEEP_EVERY_MS;
    for (const [key, { expiresAtMs }] of this.entries) if (expiresAtMs <= nowMs) this.entries.delete(key);
  }

  private nowMs(): number {
    return this.clock.now().getTime();
  }
}
