import { Module, type DynamicModule } from '@nestjs/common';

import {
  AcceptPayout,
  type AcceptPayoutOptions,
  CheckDeposit,
  type CheckDepositOptions,
  ControlSandboxPayout,
  type ControlSandboxPayoutOptions,
  PayoutsController,
  SandboxPayoutsController,
} from './payouts/index.js';
import {
  CheckRefundAddress,
  type CheckRefundAddressOptions,
  ListNetworks,
  type ListNetworksOptions,
} from './chains/index.js';
import {
  CreateOrder,
  type CreateOrderOptions,
  FindOrder,
  type FindOrderOptions,
  OrdersController,
} from './orders/index.js';
import { CheckReadiness, type CheckReadinessOptions, HealthController } from './health/index.js';
import {
  AccountController,
  DescribeAccount,
  type DescribeAccountOptions,
  DescribeWallet,
  type DescribeWalletOptions,
  LimitsAndFees,
  LimitsAndFeesController,
  WalletStatement,
  type WalletStatementOptions,
} from './account/index.js';
import {
  FindTransaction,
  type FindTransactionOptions,
  ListTransactions,
  type ListTransactionsOptions,
  TransactionsController,
} from './transactions/index.js';
import { GiveQuote, type GiveQuoteOptions, RatesController, TellRates, type TellRatesOptions } from './rates/index.js';
import {
  BanksController,
  ListBanks,
  type ListBanksOptions,
  ListCountries,
  type ListCountriesOptions,
  ResolveName,
  type ResolveNameOptions,
  ValidationController,
} from './directory/index.js';
import { DOCS_FILES, DocsController, docsFilesFor, type DocsOptions } from './docs/index.js';
import { RefundsController, RequestRefund, type RequestRefundOptions } from './refunds/index.js';
import {
  ListDeliveries,
  type ListDeliveriesOptions,
  ResendDeliveries,
  type ResendDeliveriesOptions,
  SendTestWebhook,
  type SendTestWebhookOptions,
  SetDefaultWebhook,
  type SetDefaultWebhookOptions,
  WebhooksController,
} from './webhooks/index.js';
import { PartnerTerms } from './partners/index.js';
import { PAY_PAGE, PayPageController, type PayPageOptions, payPageParts } from './pay-page/index.js';

/** Everything the use cases ask for, in one object: each takes its own part of it. */
export type UseCaseOptions = Omit<AcceptPayoutOptions, 'deposits' | 'terms'> &
  Omit<CheckDepositOptions, 'addresses'> &
  CheckRefundAddressOptions &
  CheckReadinessOptions &
  ControlSandboxPayoutOptions &
  Omit<CreateOrderOptions, 'terms'> &
  DescribeAccountOptions &
  DescribeWalletOptions &
  DocsOptions &
  FindOrderOptions &
  FindTransactionOptions &
  Omit<GiveQuoteOptions, 'terms'> &
  ListBanksOptions &
  ListCountriesOptions &
  ListDeliveriesOptions &
  ListNetworksOptions &
  ListTransactionsOptions &
  PayPageOptions &
  Omit<RequestRefundOptions, 'addresses'> &
  ResendDeliveriesOptions &
  ResolveNameOptions &
  SendTestWebhookOptions &
  SetDefaultWebhookOptions &
  TellRatesOptions &
  WalletStatementOptions;

const CONTROLLERS = [
  PayoutsController,
  OrdersController,
  RefundsController,
  RatesController,
  TransactionsController,
  AccountController,
  BanksController,
  LimitsAndFeesController,
  ValidationController,
  DocsController,
  HealthController,
  PayPageController,
  WebhooksController,
];

/** What the gateway is made of; some of it only in the sandbox. */
@Module({})
export class AppModule {
  static of(options: UseCaseOptions, sandbox: boolean): DynamicModule {
    const addresses = new CheckRefundAddress(options);
    const terms = new PartnerTerms(options.currencies, options.log);
    return {
      module: AppModule,
      controllers: [...CONTROLLERS, ...(sandbox ? [SandboxPayoutsController] : [])],
      providers: [
        {
          provide: AcceptPayout,
          useFactory: () =>
            new AcceptPayout({ ...options, terms, deposits: new CheckDeposit({ ...options, addresses }) }),
        },
        { provide: RequestRefund, useFactory: () => new RequestRefund({ ...options, addresses }) },
        { provide: ControlSandboxPayout, useFactory: () => new ControlSandboxPayout(options) },
        { provide: CreateOrder, useFactory: () => new CreateOrder({ ...options, terms }) },
        { provide: FindOrder, useFactory: () => new FindOrder(options) },
        { provide: SetDefaultWebhook, useFactory: () => new SetDefaultWebhook(options) },
        { provide: SendTestWebhook, useFactory: () => new SendTestWebhook(options) },
        { provide: ListDeliveries, useFactory: () => new ListDeliveries(options) },
        { provide: ResendDeliveries, useFactory: () => new ResendDeliveries(options) },
        { provide: GiveQuote, useFactory: () => new GiveQuote({ ...options, terms }) },
        { provide: TellRates, useFactory: () => new TellRates(options) },
        { provide: FindTransaction, useFactory: () => new FindTransaction(options) },
        { provide: DescribeAccount, useFactory: () => new DescribeAccount(options) },
        { provide: DescribeWallet, useFactory: () => new DescribeWallet(options) },
        { provide: ListTransactions, useFactory: () => new ListTransactions(options) },
        { provide: WalletStatement, useFactory: () => new WalletStatement(options) },
        { provide: ListCountries, useFactory: () => new ListCountries(options) },
        { provide: ListNetworks, useFactory: () => new ListNetworks(options) },
        { provide: LimitsAndFees, useFactory: () => new LimitsAndFees({ terms }) },
        { provide: ListBanks, useFactory: () => new ListBanks(options) },
        { provide: ResolveName, useFactory: () => new ResolveName(options) },
        { provide: PAY_PAGE, useFactory: () => payPageParts(options, sandbox) },
        { provide: DOCS_FILES, useFactory: () => docsFilesFor(options, sandbox) },
        { provide: CheckReadiness, useFactory: () => new CheckReadiness(options) },
      ],
    };
  }
}
