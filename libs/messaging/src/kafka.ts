export { KafkaWire, type KafkaWireOptions } from './kafka/kafka-wire.js';
export { ensureTopics, type TopicReport, type TopicSettings } from './kafka/kafka-topics.js';
