export { findKafka, type FindOptions, type KafkaProgram } from './find-kafka.js';
export { startLocalKafka, type LocalKafkaOptions } from './local-kafka.js';
export type { LocalServer, LocalServerOptions } from './local-server.js';
