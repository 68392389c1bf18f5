export { CONSUMER_GROUP, JudgeOrders } from './judge-orders.js';
export { OrderDepositConsumer } from './order-deposit.consumer.js';
