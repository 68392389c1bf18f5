import { Module } from '@nestjs/common';
import type { Database } from '@vuka/persistence';
import { LISTS_DATABASE } from '@vuka/service-host';

import { TransactionsModule, TransactionStore } from '../transactions/index.js';
import { ListTransactions, LISTED_TRANSACTIONS } from './list-transactions.js';
import { ListTurns } from './list-turns.js';
import { PageCursors } from './page-cursor.js';
import { TransactionHandlers } from './transaction-handlers.js';

@Module({
  imports: [TransactionsModule],
  providers: [
    {
      provide: LISTED_TRANSACTIONS,
      inject: [LISTS_DATABASE],
      useFactory: (db: Database) => new TransactionStore(db),
    },
    PageCursors,
    ListTurns,
    ListTransactions,
    TransactionHandlers,
  ],
  exports: [PageCursors, ListTurns, TransactionHandlers],
})
export class ListsModule {}
