import { Module, type DynamicModule } from '@nestjs/common';

import { AcceptPayout, type AcceptPayoutOptions } from './accept-payout.js';
import { CheckDeposit, type CheckDepositOptions } from './check-deposit.js';
import { CheckRefundAddress, type CheckRefundAddressOptions } from './check-refund-address.js';
import { CreateOrder, type CreateOrderOptions } from './create-order.js';
import { CheckReadiness, type CheckReadinessOptions } from './check-readiness.js';
import { ControlSandboxPayout, type ControlSandboxPayoutOptions } from './control-sandbox-payout.js';
import { DescribeAccount, type DescribeAccountOptions } from './describe-account.js';
import { DescribeWallet, type DescribeWalletOptions } from './describe-wallet.js';
import { FindOrder, type FindOrderOptions } from './find-order.js';
import { FindTransaction, type FindTransactionOptions } from './find-transaction.js';
import { GiveQuote, type GiveQuoteOptions } from './give-quote.js';
import { AccountController } from './http/account.controller.js';
import { OrdersController } from './http/orders.controller.js';
import { PayoutsController } from './http/payouts.controller.js';
import { BanksController } from './http/banks.controller.js';
import { DocsController } from './http/docs.controller.js';
import { HealthController } from './http/health.controller.js';
import { LimitsAndFeesController } from './http/limits-and-fees.controller.js';
import { RefundsController } from './http/refunds.controller.js';
import { RatesController } from './http/rates.controller.js';
import { SandboxPayoutsController } from './http/sandbox-payouts.controller.js';
import { TransactionsController } from './http/transactions.controller.js';
import { ValidationController } from './http/validation.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { LimitsAndFees } from './limits-and-fees.js';
import { ListBanks, type ListBanksOptions } from './list-banks.js';
import { ListCountries, type ListCountriesOptions } from './list-countries.js';
import { ListDeliveries, type ListDeliveriesOptions } from './list-deliveries.js';
import { ListNetworks, type ListNetworksOptions } from './list-networks.js';
import { ListTransactions, type ListTransactionsOptions } from './list-transactions.js';
import { DOCS_FILES, docsFilesFor, type DocsOptions } from './openapi/docs-files.js';
import { PartnerTerms } from './partner-terms.js';
import { PAY_PAGE, PayPageController, payPageParts, type PayPageOptions } from './pay-page/pay-page.controller.js';
import { RequestRefund, type RequestRefundOptions } from './request-refund.js';
import { ResendDeliveries, type ResendDeliveriesOptions } from './resend-deliveries.js';
import { ResolveName, type ResolveNameOptions } from './resolve-name.js';
import { SendTestWebhook, type SendTestWebhookOptions } from './send-test-webhook.js';
import { SetDefaultWebhook, type SetDefaultWebhookOptions } from './set-default-webhook.js';
import { TellRates, type TellRatesOptions } from './tell-rates.js';
import { WalletStatement, type WalletStatementOptions } from './wallet-statement.js';

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
