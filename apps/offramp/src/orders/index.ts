export { lookAtOrder, type OrderLook } from './look-at-order.js';
export { OrderClaims } from './open-order-claims.js';
export { OrderWatchStore } from './order-watch.store.js';
export { PassWatches } from './pass-watches.js';
export { RecordOrderLook } from './record-order-look.js';
export { ReserveOrder } from './reserve-order.js';
export { SettlementConsumer } from './settlement.consumer.js';
export { TakeSettlement } from './take-settlement.js';
export { tellOfOrder } from './tell-of-order.js';
