import type { MonotonicClock } from '@vuka/runtime';

/** `name` separates the keys of policies. */
export interface RatePolicy {
  readonly name: string;
  /** Above 0, in steps of 0.001. */
  readonly ratePerS: number;
  /** Whole, at least 1. */
  readonly burst: number;
}

/** Seconds are whole and rounded up. */
export interface Taken {
  readonly allowed: boolean;
  /** Whole tokens. */
  readonly remaining: number;
  /** Until the bucket is full. */
  readonly resetS: number;
  /** Until one token is there; 0 if allowed. */
  readonly retryAfterS: number;
}

/** `nowMs` is this process's monotonic time: a shared store must use its own clock. */
export interface RateLimitStore {
  take(key: string, policy: RatePolicy, nowMs: number): Taken | Promise<Taken>;
  /** One token that was taken for nothing. Never beyond the burst. */
  giveBack(key: string, policy: RatePolicy, nowMs: number): void | Promise<void>;
}

/** How long a refusal holds without another question to the store, at most. */
export const REFUSAL_HOLDS_MS = 250;
const MOST_REFUSALS_HELD = 10_000;

/** A refusal takes no token. Setting the time of day has no effect. */
export class TokenBuckets {
  private readonly refusals = new Map<string, { readonly taken: Taken; readonly untilMs: number }>();

  constructor(
    private readonly clock: MonotonicClock,
    private readonly store: RateLimitStore = new MemoryBuckets(),
  ) {}

  take(key: string, policy: RatePolicy): Taken | Promise<Taken> {
    return this.store.take(key, policy, this.clock.monotonicMs());
  }

  /** For floods: a refusal is repeated for a moment without the store, which may be on the network. */
  async takeInFlood(key: string, policy: RatePolicy): Promise<Taken> {
    const place = `${policy.name}:${key}`;
    const held = this.refusals.get(place);
    if (held !== undefined && this.clock.monotonicMs() < held.untilMs) return held.taken;
    this.refusals.delete(place);
    const taken = await this.take(key, policy);
    if (!taken.allowed) {
      if (this.refusals.size >= MOST_REFUSALS_HELD) this.refusals.clear();
      const holdsMs = Math.min(REFUSAL_HOLDS_MS, taken.retryAfterS * 1_000);
      this.refusals.set(place, { taken, untilMs: this.clock.monotonicMs() + holdsMs });
    }
    return taken;
  }

  async giveBack(key: string, policy: RatePolicy): Promise<void> {
    this.refusals.delete(`${policy.name}:${key}`);
    await this.store.giveBack(key, policy, this.clock.monotonicMs());
  }
}

/** In millionths of a token all sums are whole: 0.001/s refills one per ms. */
export const ONE_TOKEN = 1_000_000;
const PER_MS_AT_1_PER_S = 1_000;

/** Whole millionths of a token. */
export function refillPerMs(ratePerS: number): number {
  return Math.round(ratePerS * PER_MS_AT_1_PER_S);
}

/** `debt`: millionths of a token missing after the request. */
export function takenOf(allowed: boolean, debt: number, { ratePerS, burst }: RatePolicy): Taken {
  const perMs = refillPerMs(ratePerS);
  const room = burst * ONE_TOKEN - debt;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(room / ONE_TOKEN)),
    resetS: seconds(debt, perMs),
    retryAfterS: allowed ? 0 : seconds(ONE_TOKEN - room, perMs),
  };
}

/** GCRA, kept as a debt at `atMs` that drains. */
interface Bucket {
  /** Millionths of a token. */
  debt: number;
  atMs: number;
}

/** Buckets that a new key checks for full ones to drop. */
const SWEEP = 4;
const SWEEP_WHEN_CROWDED = 64;

/** Per policy. */
export const MAX_KEYS = 100_000;

/**
 * At most `maxKeys` buckets per policy. Only a full bucket is dropped, so new keys never erase a debt. Without room,
 * new keys share one bucket, and a later own bucket starts with its debt.
 */
export class MemoryBuckets implements RateLimitStore {
  private readonly tables = new Map<string, Table>();

  constructor(private readonly maxKeys = MAX_KEYS) {}

  take(key: string, policy: RatePolicy, nowMs: number): Taken {
    let table = this.tables.get(policy.name);
    if (table === undefined) this.tables.set(policy.name, (table = new Table(this.maxKeys)));
    return table.take(key, policy, nowMs);
  }

  giveBack(key: string, policy: RatePolicy, nowMs: number): void {
    this.tables.get(policy.name)?.giveBack(key, policy, nowMs);
  }

  get size(): number {
    let size = 0;
    for (const table of this.tables.values()) size += table.size;
    return size;
  }
}

class Table {
  private readonly buckets = new Map<string, Bucket>();
  /** For all keys without their own bucket. */
  private readonly crowd: Bucket = { debt: 0, atMs: 0 };
  private swept = this.buckets.entries();

  constructor(private readonly maxKeys: number) {}

  get size(): number {
    return this.buckets.size;
  }

  take(key: string, policy: RatePolicy, nowMs: number): Taken {
    const perMs = refillPerMs(policy.ratePerS);
    const bucket = this.buckets.get(key) ?? this.newcomer(key, perMs, nowMs);
    drain(bucket, perMs, nowMs);
    const allowed = policy.burst * ONE_TOKEN - bucket.debt >= ONE_TOKEN;
    if (allowed) bucket.debt += ONE_TOKEN;
    return takenOf(allowed, bucket.debt, policy);
  }

  giveBack(key: string, { ratePerS }: RatePolicy, nowMs: number): void {
    const bucket = this.buckets.get(key);
    if (bucket === undefined) return;
    drain(bucket, refillPerMs(ratePerS), nowMs);
    bucket.debt = Math.max(0, bucket.debt - ONE_TOKEN);
  }

  private newcomer(key: string, perMs: number, nowMs: number): Bucket {
    const crowded = this.buckets.size >= this.maxKeys;
    this.dropFull(crowded ? SWEEP_WHEN_CROWDED : SWEEP, perMs, nowMs);
    drain(this.crowd, perMs, nowMs);
    if (this.buckets.size >= this.maxKeys) return this.crowd;
    const bucket = { debt: this.crowd.debt, atMs: nowMs };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** A full sweep would block every request. */
  private dropFull(count: number, perMs: number, nowMs: number): void {
    for (let i = 0; i < count; i++) {
      const next = this.swept.next();
      if (next.done === true) {
        this.swept = this.buckets.entries();
        return;
      }
      const [key, bucket] = next.value;
      drain(bucket, perMs, nowMs);
      if (bucket.debt === 0) this.buckets.delete(key);
    }
  }
}

function drain(bucket: Bucket, perMs: number, nowMs: number): void {
  bucket.debt = Math.max(0, bucket.debt - (nowMs - bucket.atMs) * perMs);
  bucket.atMs = nowMs;
}

function seconds(millionths: number, perMs: number): number {
  return Math.ceil(millionths / (perMs * 1_000));
}
