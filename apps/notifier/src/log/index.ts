export { DELIVERY_STATES, DeliveryLogStore, type LoggedDelivery } from './delivery-log.store.js';
export { deliveryOperations, forLists } from './delivery-operations.js';
export { cursorOf, deliveryViewOf, placeOf, storedState } from './list-deliveries.js';
export { ResendDeliveries } from './resend-deliveries.js';
