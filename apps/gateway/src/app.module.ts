import { Module, type DynamicModule } from '@nestjs/common';

import { AcceptPayout, type AcceptPayoutOptions } from './accept-payout.js';
import { CheckReadiness, type CheckReadinessOptions } from './check-readiness.js';
import { ControlSandboxPayout, type ControlSandboxPayoutOptions } from './control-sandbox-payout.js';
import { DescribeAccount, type DescribeAccountOptions } from './describe-account.js';
import { FindTransaction, type FindTransactionOptions } from './find-transaction.js';
import { AccountController } from './http/account.controller.js';
import { PayoutsController } from './http/payouts.controller.js';
import { BanksController } from './http/banks.controller.js';
import { DocsController } from './http/docs.controller.js';
import { HealthController } from './http/health.controller.js';
import { SandboxPayoutsController } from './http/sandbox-payouts.controller.js';
import { TransactionsController } from './http/transactions.controller.js';
import { ValidationController } from './http/validation.controller.js';
import { ListBanks, type ListBanksOptions } from './list-banks.js';
import { DOCS_FILES, docsFilesFor, type DocsOptions } from './openapi/docs-files.js';
import { ResolveName, type ResolveNameOptions } from './resolve-name.js';

/** Everything the use cases ask for, in one object: each takes its own part of it. */
export type UseCaseOptions = AcceptPayoutOptions &
  CheckReadinessOptions &
  ControlSandboxPayoutOptions &
  DescribeAccountOptions &
  DocsOptions &
  FindTransactionOptions &
  ListBanksOptions &
  ResolveNameOptions;

const CONTROLLERS = [PayoutsController, TransactionsController, AccountController, BanksController, ValidationController, DocsController, HealthController];

/** What the gateway is made of; some of it only in the sandbox. */
@Module({})
export class AppModule {
  static of(options: UseCaseOptions, sandbox: boolean): DynamicModule {
    return {
      module: AppModule,
      controllers: [...CONTROLLERS, ...(sandbox ? [SandboxPayoutsController] : [])],
      providers: [
        { provide: AcceptPayout, useFactory: () => new AcceptPayout(options) },
        { provide: ControlSandboxPayout, useFactory: () => new ControlSandboxPayout(options) },
        { provide: FindTransaction, useFactory: () => new FindTransaction(options) },
        { provide: DescribeAccount, useFactory: () => new DescribeAccount(options) },
        { provide: ListBanks, useFactory: () => new ListBanks(options) },
        { provide: ResolveName, useFactory: () => new ResolveName(options) },
        { provide: DOCS_FILES, useFactory: () => docsFilesFor(options, sandbox) },
        { provide: CheckReadiness, useFactory: () => new CheckReadiness(options) },
      ],
    };
  }
}
