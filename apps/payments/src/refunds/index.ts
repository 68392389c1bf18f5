export { GrantRefunds } from './grant-refunds.js';
export { RecordRefund } from './record-refund.js';
export { RefundConsumer } from './refund.consumer.js';
export { RequestRefund } from './request-refund.js';
export { RefundsModule } from './refunds.module.js';
