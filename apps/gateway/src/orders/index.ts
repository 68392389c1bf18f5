export { OrdersModule } from './orders.module.js';
export { PublicAddress } from './public-address.js';
export { ORDER_ANSWERS, ORDER_OPERATIONS } from './orders.operations.js';
