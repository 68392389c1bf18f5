import { Module, type DynamicModule } from '@nestjs/common';

import { AcceptBankTransfer, type AcceptBankTransferOptions } from './accept-bank-transfer.js';
import { CheckReadiness, type CheckReadinessOptions } from './check-readiness.js';
import { DescribeAccount, type DescribeAccountOptions } from './describe-account.js';
import { FindTransaction, type FindTransactionOptions } from './find-transaction.js';
import { AccountController } from './http/account.controller.js';
import { BankTransferController } from './http/bank-transfer.controller.js';
import { BanksController } from './http/banks.controller.js';
import { HealthController } from './http/health.controller.js';
import { TransactionsController } from './http/transactions.controller.js';
import { ListBanks, type ListBanksOptions } from './list-banks.js';

/** Everything the use cases ask for, in one object: each takes its own part of it. */
export type UseCaseOptions = AcceptBankTransferOptions &
  CheckReadinessOptions &
  DescribeAccountOptions &
  FindTransactionOptions &
  ListBanksOptions;

/** What the gateway is made of. */
@Module({})
export class AppModule {
  static of(options: UseCaseOptions): DynamicModule {
    return {
      module: AppModule,
      controllers: [BankTransferController, TransactionsController, AccountController, BanksController, HealthController],
      providers: [
        { provide: AcceptBankTransfer, useFactory: () => new AcceptBankTransfer(options) },
        { provide: FindTransaction, useFactory: () => new FindTransaction(options) },
        { provide: DescribeAccount, useFactory: () => new DescribeAccount(options) },
        { provide: ListBanks, useFactory: () => new ListBanks(options) },
        { provide: CheckReadiness, useFactory: () => new CheckReadiness(options) },
      ],
    };
  }
}
