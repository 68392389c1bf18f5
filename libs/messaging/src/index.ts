export * from './buckets.js';
export * from './dead-letters.js';
export * from './embedded-wire.js';
export * from './envelope.js';
export * from './event-server.js';
export type { RetryPolicy } from './group-relay.js';
export * from './inbox.js';
export * from './outbox.js';
export * from './wire.js';
