// `@vuka/messaging/event-server` and `/kafka` are separate: Nest's microservices and kafkajs are a third of a
// command's load.
export { EventAuthors } from './authors/event-authors.js';
export { eventMacsBy, type EventKey, type EventKeys } from './authors/event-keys.js';
export * from './outbox/buckets.js';
export { deadLetterMethods } from './dead-letters/dead-letter-methods.js';
export * from './dead-letters/dead-letters.js';
export { SeededDisturbance } from './delivery/disturbance.js';
export * from './embedded/embedded-event-bus.js';
export * from './envelope.js';
export * from './outbox/inbox.js';
export type { KafkaConnection } from './kafka/kafka-connection.js';
export type { EventBusMetrics } from './kafka/consumer/consumer-metrics.js';
export type { RetryPolicy } from './delivery/keyed-delivery.js';
export * from './outbox/outbox.js';
export { backlogOf, type GroupBacklog } from './outbox/outbox-backlog.js';
export { PermanentEventError, type Subscription } from './delivery/subscription.js';
export type { Producer, EventBus } from './event-bus.js';
