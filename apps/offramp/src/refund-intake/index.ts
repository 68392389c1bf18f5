export { PartnerConsumer } from './partner.consumer.js';
export { RecordPartnerStatus } from './record-partner-status.js';
export { RefundHold } from './refund-hold.js';
export { RefundConsumer } from './refund.consumer.js';
export { TakeRefund } from './take-refund.js';
