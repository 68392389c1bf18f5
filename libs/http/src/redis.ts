// Apart, so that others do not load the Redis client.
export { RedisBuckets, type RedisBucketsOptions } from './limits/redis-buckets.js';
