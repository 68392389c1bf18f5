export { CreateOrder, type CreateOrderOptions } from './create-order.js';
export { FindOrder, type FindOrderOptions } from './find-order.js';
export { OrdersController } from './orders.controller.js';
