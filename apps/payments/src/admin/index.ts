export type { ChainAccountsView } from './chain-accounts.js';
export type { LedgerView } from './payments-desk.js';
export { openPaymentsDesk, type PaymentsDeskMethods } from './payments-methods.js';
export type { RailBalancesView, RailBalanceView } from './rail-balances.js';
export type { AdjustmentView, FreezeView, StatementView, WalletView } from './readers/money-views.js';
export * from './readers/views.js';
