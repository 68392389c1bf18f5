import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { DepositsModule } from '../deposits/index.js';
import { DueWorkModule } from '../due-work/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { ValueModule } from '../value/index.js';
import { OrderDepositConsumer } from './order-deposit.consumer.js';
import { RecordOrderDeposits } from './record-order-deposits.js';
import { RevertOrderDeposit } from './revert-order-deposit.js';
import { SettleOrder } from './settle-order.js';
import { SettlementConsumer } from './settlement.consumer.js';
import { ToldBefore } from './told-before.js';

@Module({
  imports: [CommitModule, DepositsModule, DueWorkModule, TransactionsModule, ValueModule],
  controllers: [OrderDepositConsumer, SettlementConsumer],
  providers: [RevertOrderDeposit, RecordOrderDeposits, ToldBefore, SettleOrder],
})
export class OrdersModule {}
