// Limits that all processes of a deployment count together. A door of its own: who counts alone loads no client of Redis.
export { RedisBuckets, type RedisBucketsOptions } from './limits/redis-buckets.js';
