export { RedisBuckets, type RedisBucketsOptions } from './redis-buckets.js';
export { dropClient, redisOptions, type RedisConnection } from './redis-connection.js';
