export { JudgeDueOrders } from './judge-due-orders.js';
export { JudgingModule } from './judging.module.js';
