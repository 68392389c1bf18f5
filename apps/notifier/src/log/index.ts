export { DELIVERY_STATES, DeliveryLogStore, type LoggedDelivery } from './delivery-log.store.js';
export { DeliveryOperations } from './delivery-operations.js';
export { cursorOf, shownDeliveryOf, placeOf, storedState } from './list-deliveries.js';
export { LogModule } from './log.module.js';
export { ResendDeliveries } from './resend-deliveries.js';
