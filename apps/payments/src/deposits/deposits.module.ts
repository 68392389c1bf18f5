import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { DueWorkModule } from '../due-work/index.js';
import { MachineModule } from '../machine/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { ValueModule } from '../value/index.js';
import { CreditDeposit } from './credit-deposit.js';
import { DepositConsumer } from './deposit.consumer.js';
import { RecordReversal } from './record-reversal.js';
import { RecordVerdict } from './record-verdict.js';

const providers = [RecordReversal, RecordVerdict, CreditDeposit];

@Module({
  imports: [CommitModule, DueWorkModule, MachineModule, TransactionsModule, ValueModule],
  controllers: [DepositConsumer],
  providers,
  exports: providers,
})
export class DepositsModule {}
