import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { AttemptClaims } from './attempt-claims.store.js';
import { AttemptStore } from './attempt.store.js';
import { DestinationVault } from './destination-vault.js';
import { GetTransaction } from './status/get-transaction.js';
import { ChainExitBlocks } from './chain-exit-blocks.store.js';
import { OrderStore } from './order.store.js';
import { RecipientKeys } from './recipient-keys.js';
import { TransactionStore } from './transaction.store.js';

const providers = [
  TransactionStore,
  AttemptClaims,
  AttemptStore,
  OrderStore,
  ChainExitBlocks,
  RecipientKeys,
  DestinationVault,
  GetTransaction,
];

@Module({
  imports: [CommitModule],
  providers,
  exports: providers,
})
export class TransactionsModule {}
