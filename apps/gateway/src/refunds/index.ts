export { RefundsModule } from './refunds.module.js';
export { REFUND_OPERATIONS } from './refunds.operations.js';
