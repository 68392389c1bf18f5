export { RefundsController } from './refunds.controller.js';
export { RequestRefund, type RequestRefundOptions } from './request-refund.js';
