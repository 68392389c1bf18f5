import { Module } from '@nestjs/common';

import { FindTransaction } from './find-transaction.js';
import { ListTransactions } from './list-transactions.js';
import { TransactionsController } from './transactions.controller.js';

@Module({
  controllers: [TransactionsController],
  providers: [FindTransaction, ListTransactions],
})
export class TransactionsModule {}
