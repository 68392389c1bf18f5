export { CheckOrderDeposit, type OrderCheck } from './check-order-deposit.js';
export { OrderClaims } from './open-order-claims.js';
export { OrderWatchStore } from './order-watch.store.js';
export { OrdersModule } from './orders.module.js';
export { PassWatches } from './pass-watches.js';
export { RecordOrderCheck } from './record-order-check.js';
export { ReserveOrder } from './reserve-order.js';
export { tellOfOrder } from './tell-of-order.js';
