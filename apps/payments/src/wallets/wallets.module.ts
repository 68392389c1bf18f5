import { Module } from '@nestjs/common';

import { CommitModule } from '../commit/index.js';
import { ListsModule } from '../lists/index.js';
import { AdjustWallet } from './adjust-wallet.js';
import { AdjustmentStore } from './adjustment.store.js';
import { CollectReceivables } from './collect-receivables.js';
import { StatementStore } from './statement.store.js';
import { WalletStatement } from './wallet-statement.js';
import { WalletHandlers } from './wallet-handlers.js';
import { Wallets } from './wallets.js';

const providers = [
  Wallets,
  StatementStore,
  WalletStatement,
  CollectReceivables,
  AdjustmentStore,
  AdjustWallet,
  WalletHandlers,
];

@Module({
  imports: [CommitModule, ListsModule],
  providers,
  exports: providers,
})
export class WalletsModule {}
