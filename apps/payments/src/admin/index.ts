export type { ChainAccountsView } from './chain-accounts.js';
export { openPaymentsDesk } from './open-payments-desk.js';
export type { LedgerView } from './payment-reports.js';
export type { PaymentsDeskMethods } from './payments-desk.js';
export type { RailBalancesView, RailBalanceView } from './rail-balances.js';
export type { AdjustmentView, FreezeView, StatementView, WalletView } from './readers/money-views.js';
export * from './readers/views.js';
