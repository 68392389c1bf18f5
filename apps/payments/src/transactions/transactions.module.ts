import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { AttemptStore } from './attempt.store.js';
import { DestinationVault } from './destination-vault.js';
import { GetTransaction } from './get-transaction.js';
import { HeldBackStore } from './held-back.store.js';
import { OrderStore } from './order.store.js';
import { TransactionStore } from './transaction.store.js';

const providers = [TransactionStore, AttemptStore, OrderStore, HeldBackStore, DestinationVault, GetTransaction];

@Module({
  imports: [CommitModule],
  providers,
  exports: providers,
})
export class TransactionsModule {}
