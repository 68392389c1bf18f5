import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { DepositsModule } from '../deposits/index.js';
import { DueWorkModule } from '../due-work/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { ValueModule } from '../value/index.js';
import { GrantRefunds } from './grant-refunds.js';
import { RecordRefund } from './record-refund.js';
import { RefundConsumer } from './refund.consumer.js';
import { RequestRefund } from './request-refund.js';

@Module({
  imports: [CommitModule, DepositsModule, DueWorkModule, TransactionsModule, ValueModule],
  controllers: [RefundConsumer],
  providers: [RequestRefund, RecordRefund, GrantRefunds],
  exports: [RequestRefund, GrantRefunds],
})
export class RefundsModule {}
