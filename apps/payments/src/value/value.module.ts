import { Module } from '@nestjs/common';

import { DepositStore } from './deposit.store.js';
import { RefundStore } from './refund.store.js';

const providers = [DepositStore, RefundStore];

@Module({
  providers,
  exports: providers,
})
export class ValueModule {}
