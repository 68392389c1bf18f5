export { CheckoutMetrics } from './checkout-metrics.js';
export { CreateOrder } from './create-order.js';
export { type OrderDeposit, OrderDepositStore, type ToldDeposit } from './order-deposit.store.js';
export { factsOf, toTell } from './order-facts.js';
export { type Order, OrderStore, type OrderTransition } from './order.store.js';
export { OrdersModule } from './orders.module.js';
export { PageOrders, STUCK_AFTER_MS } from './page-orders.js';
export { ReadOrder } from './read-order.js';
