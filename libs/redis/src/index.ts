export { RedisBuckets, type RedisBucketsOptions } from './redis-buckets.js';
export { redisOptions, type RedisConnection } from './redis-connection.js';
