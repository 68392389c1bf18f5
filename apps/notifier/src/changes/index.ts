export { OrderConsumer } from './order.consumer.js';
export { CONSUMER_GROUP, EVENTS_AT_ONCE, RecordPublicChange } from './record-public-change.js';
export { TransactionConsumer } from './transaction.consumer.js';
