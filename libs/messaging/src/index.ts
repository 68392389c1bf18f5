// What loads Nest's microservices and kafkajs has doors of its own, `@vuka/messaging/event-server` and `/kafka`: they are a third of what a command would load.
export * from './buckets.js';
export { deadLetterMethods } from './dead-letter-methods.js';
export * from './dead-letters.js';
export { SeededDisturbance } from './disturbance.js';
export * from './embedded-wire.js';
export * from './envelope.js';
export * from './inbox.js';
export type { KafkaConnection } from './kafka/kafka-connection.js';
export type { WireMetrics } from './kafka/consumer-metrics.js';
export type { RetryPolicy } from './keyed-delivery.js';
export * from './outbox.js';
export { backlogOf, type GroupBacklog } from './outbox-backlog.js';
export { PermanentEventError, type Subscription } from './subscription.js';
export type { Producer, Wire } from './wire.js';
