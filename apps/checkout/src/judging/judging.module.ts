import { Module } from '@nestjs/common';

import { OrdersModule } from '../orders/index.js';
import { JudgeDueOrders } from './judge-due-orders.js';
import { JudgeOrders } from './judge-orders.js';
import { OrderDepositConsumer } from './order-deposit.consumer.js';

@Module({
  imports: [OrdersModule],
  controllers: [OrderDepositConsumer],
  providers: [JudgeOrders, JudgeDueOrders],
  exports: [JudgeDueOrders],
})
export class JudgingModule {}
