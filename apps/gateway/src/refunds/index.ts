export { RefundsModule } from './refunds.module.js';
export { REFUND_ANSWERS, REFUND_OPERATIONS } from './refunds.operations.js';
