export { OrderDepositConsumer } from './order-deposit.consumer.js';
export { debtOf } from './order-move.js';
export { RecordOrderDeposits } from './record-order-deposits.js';
export { RevertOrderDeposit } from './revert-order-deposit.js';
export { SettleOrder } from './settle-order.js';
export { SettlementConsumer } from './settlement.consumer.js';
export { OrdersModule } from './orders.module.js';
