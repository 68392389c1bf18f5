export { KafkaEventBus, type KafkaEventBusOptions } from './kafka/kafka-event-bus.js';
export { ensureTopics, type TopicReport, type TopicSettings } from './kafka/kafka-topics.js';
