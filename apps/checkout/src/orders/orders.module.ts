import { Module } from '@nestjs/common';

import { CheckoutMetrics } from './checkout-metrics.js';
import { CreateOrder } from './create-order.js';
import { OrderDepositStore } from './order-deposit.store.js';
import { OrderWatch } from './order-watch.js';
import { OrderStore } from './order.store.js';
import { PageOrders } from './page-orders.js';
import { ReadOrder } from './read-order.js';

@Module({
  providers: [OrderStore, OrderDepositStore, OrderWatch, CheckoutMetrics, PageOrders, ReadOrder, CreateOrder],
  exports: [OrderStore, OrderDepositStore, CheckoutMetrics, PageOrders, ReadOrder, CreateOrder],
})
export class OrdersModule {}
