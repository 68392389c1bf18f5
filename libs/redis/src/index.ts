export { RedisBuckets, type RedisBucketsOptions } from './redis-buckets.js';
export type { RedisConnection } from './redis-connection.js';
