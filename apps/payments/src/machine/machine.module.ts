import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { TransactionMachine } from './transaction-machine.js';

const providers = [TransactionMachine];

@Module({
  imports: [CommitModule, TransactionsModule],
  providers,
  exports: providers,
})
export class MachineModule {}
