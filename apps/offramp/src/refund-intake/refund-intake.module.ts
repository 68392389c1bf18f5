import { Module } from '@nestjs/common';

import { RefundsModule } from '../refunds/index.js';
import { PartnerConsumer } from './partner.consumer.js';
import { RecordPartnerStatus } from './record-partner-status.js';
import { RefundHold } from './refund-hold.js';
import { RefundConsumer } from './refund.consumer.js';
import { TakeRefund } from './take-refund.js';

@Module({
  imports: [RefundsModule],
  controllers: [RefundConsumer, PartnerConsumer],
  providers: [TakeRefund, RefundHold, RecordPartnerStatus],
})
export class RefundIntakeModule {}
