export { CheckoutMetrics } from './checkout-metrics.js';
export { CreateOrder, viewOf } from './create-order.js';
export { type OrderDeposit, OrderDepositStore, type ToldDeposit } from './order-deposit.store.js';
export { factsOf, toTell } from './order-facts.js';
export { OrderWatch } from './order-watch.js';
export { type Order, OrderStore, type OrderTransition } from './order.store.js';
export { PageOrders, STUCK_AFTER_MS } from './page-orders.js';
