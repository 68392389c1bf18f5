export { findKafka, type FindOptions, type KafkaProgram } from './find-kafka.js';
export { findRedis, type RedisProgram } from './find-redis.js';
export * from './kafka-for-tests.js';
export { startLocalKafka, type LocalKafkaOptions } from './local-kafka.js';
export { startLocalRedis, type LocalRedis, type LocalRedisOptions } from './local-redis.js';
export type { LocalServer, LocalServerOptions } from './local-server.js';
export { freePort } from './native-server.js';
export { findMockKafka, startMockKafka, type MockKafkaProgram } from './mock-kafka.js';
