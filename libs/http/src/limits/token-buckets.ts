import type { MonotonicClock } from '@vuka/runtime';

/** A bucket of `burst` tokens into which `ratePerS` come back each second. `name` parts its keys from another policy's. */
export interface RatePolicy {
  readonly name: string;
  /** More than 0; steps of 0.001. */
  readonly ratePerS: number;
  /** Whole, at least 1. */
  readonly burst: number;
}

/** What one request found. Seconds are whole and rounded up, so that who waits for them has waited long enough. */
export interface Taken {
  readonly allowed: boolean;
  /** Whole tokens left. */
  readonly remaining: number;
  /** Until the bucket is full again if nobody takes from it. */
  readonly resetS: number;
  /** Until one token is there: at least 1 where refused, 0 where allowed. */
  readonly retryAfterS: number;
}

/**
 * Where the buckets are. In memory each process counts for itself; a store that all share answers by promise.
 * `nowMs` is this process's monotonic time, of which another knows nothing: a shared store goes by a clock of its own.
 */
export interface RateLimitStore {
  take(key: string, policy: RatePolicy, nowMs: number): Taken | Promise<Taken>;
}

/** Limits how often something may be done, by key. Refusing consumes nothing, and setting the time of day gives nothing. */
export class TokenBuckets {
  constructor(
    private readonly clock: MonotonicClock,
    private readonly store: RateLimitStore = new MemoryBuckets(),
  ) {}

  take(key: string, policy: RatePolicy): Taken | Promise<Taken> {
    return this.store.take(key, policy, this.clock.monotonicMs());
  }
}

/** Millionths of a token: a rate of 0.001/s gives back exactly one in a millisecond, so all sums are whole and exact. */
export const ONE_TOKEN = 1_000_000;
const PER_MS_AT_1_PER_S = 1_000;

/** What comes back into a bucket in a millisecond, in millionths of a token: whole. */
export function refillPerMs(ratePerS: number): number {
  return Math.round(ratePerS * PER_MS_AT_1_PER_S);
}

/** What a request found by what the bucket misses after it, in millionths of a token: the one it took is in there. */
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

/** What is missing in a bucket, and when that was true: the arrival time of GCRA, told as a debt that drains. */
interface Bucket {
  /** Millionths of a token. */
  debt: number;
  atMs: number;
}

/** Buckets that a newcomer looks at in search of full ones to drop; more where its own place depends on it. */
const SWEEP = 4;
const SWEEP_WHEN_CROWDED = 64;

/** Keys of one policy held at once. */
export const MAX_KEYS = 100_000;

/**
 * Buckets in memory, at most `maxKeys` for each policy.
 *
 * A bucket is dropped only once it is full again, when it says nothing that its absence does not. So no key is ever
 * forgiven anything by making others: where all places are taken by buckets that still miss something, newcomers share
 * one bucket, and who gets a place later starts with what that one misses. Each key alone stays within its policy
 * whatever the others do; what a crowd can do is make newcomers wait for one another.
 */
export class MemoryBuckets implements RateLimitStore {
  private readonly tables = new Map<string, Table>();

  constructor(private readonly maxKeys = MAX_KEYS) {}

  take(key: string, policy: RatePolicy, nowMs: number): Taken {
    let table = this.tables.get(policy.name);
    if (table === undefined) this.tables.set(policy.name, (table = new Table(this.maxKeys)));
    return table.take(key, policy, nowMs);
  }

  /** How many keys have a bucket of their own. */
  get size(): number {
    let size = 0;
    for (const table of this.tables.values()) size += table.size;
    return size;
  }
}

class Table {
  private readonly buckets = new Map<string, Bucket>();
  /** Of all keys that found no place. */
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

  private newcomer(key: string, perMs: number, nowMs: number): Bucket {
    const crowded = this.buckets.size >= this.maxKeys;
    this.dropFull(crowded ? SWEEP_WHEN_CROWDED : SWEEP, perMs, nowMs);
    drain(this.crowd, perMs, nowMs);
    if (this.buckets.size >= this.maxKeys) return this.crowd;
    const bucket = { debt: this.crowd.debt, atMs: nowMs };
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** Looks at the next few, round and round: a sweep of all at once would hold up every request meanwhile. */
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
