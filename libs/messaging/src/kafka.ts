export { KafkaEventBus, type KafkaEventBusOptions } from './kafka/kafka-event-bus.js';
export { ensureAcls, type AclReport } from './kafka/kafka-acls.js';
export { ensureTopics, type TopicReport, type TopicSettings } from './kafka/kafka-topics.js';
