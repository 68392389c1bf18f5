import { Inject, Injectable } from '@nestjs/common';
import { type Clock, isWithin, type Moment, momentOf, type MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import type { KnownName } from './ask-providers.js';

interface Entry {
  readonly known: KnownName;
  readonly putAt: Moment;
  readonly ttlMs: number;
}

/** Expired names of people must not stay in memory. */
const SWEEP_EVERY_MS = 10_000;

const MOST_ENTRIES = 10_000;

/**
 * Keys reveal no destination. A cache outside this process would have to encrypt the names. When full, it drops the
 * oldest entry.
 */
@Injectable()
export class MemoryNameCache {
  private readonly entries = new Map<string, Entry>();
  private sweptAt: Moment;

  /** For tests. */
  maxEntries = MOST_ENTRIES;

  constructor(@Inject(CLOCK) private readonly clock: Clock & MonotonicClock) {
    this.sweptAt = momentOf(this.clock);
  }

  get size(): number {
    return this.entries.size;
  }

  async get(key: string): Promise<KnownName | null> {
    const entry = this.entries.get(key);
    return entry !== undefined && isWithin(entry.ttlMs, entry.putAt, momentOf(this.clock)) ? entry.known : null;
  }

  async put(key: string, known: KnownName, ttlMs: number): Promise<void> {
    const now = momentOf(this.clock);
    this.sweep(now);
    // Delete first, so that a known key becomes the newest.
    this.entries.delete(key);
    this.entries.set(key, { known, putAt: now, ttlMs });
    const [oldest] = this.entries.keys();
    if (this.entries.size > this.maxEntries && oldest !== undefined) this.entries.delete(oldest);
  }

  private sweep(now: Moment): void {
    if (isWithin(SWEEP_EVERY_MS, this.sweptAt, now)) return;
    this.sweptAt = now;
    for (const [key, { putAt, ttlMs }] of this.entries) if (!isWithin(ttlMs, putAt, now)) this.entries.delete(key);
  }
}
