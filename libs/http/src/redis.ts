// A separate entry point: a process that counts alone does not load the Redis client.
export { RedisBuckets, type RedisBucketsOptions } from './limits/redis-buckets.js';
