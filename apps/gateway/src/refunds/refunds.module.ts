import { Module } from '@nestjs/common';

import { ChainsModule } from '../chains/index.js';
import { IdempotencyModule } from '../idempotency/index.js';
import { RefundsController } from './refunds.controller.js';
import { RequestRefund } from './request-refund.js';

@Module({
  imports: [ChainsModule, IdempotencyModule],
  controllers: [RefundsController],
  providers: [RequestRefund],
})
export class RefundsModule {}
