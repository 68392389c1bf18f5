import { Module } from '@nestjs/common';

import { DueRefunds } from './due-refunds.js';
import { RecordRefund } from './record-refund.js';
import { RefundStore } from './refund.store.js';
import { TransferStore } from './transfer.store.js';

const PROVIDERS = [RefundStore, TransferStore, RecordRefund, DueRefunds];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class RefundsModule {}
