export { OrdersModule } from './orders.module.js';
export { PublicAddress } from './public-address.js';
