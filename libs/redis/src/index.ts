export type { RedisConnection } from './redis-connection.js';
