export type { CallbacksView, UnknownCallbackView } from './callback-admin.js';
export type { ChainAccountsView } from './chain-accounts.js';
export type { CorridorSwitchView, CorridorsView, CorridorView } from './corridor-admin.js';
export { openPaymentsAdmin } from './open-payments-admin.js';
export type { LedgerView } from './payment-reports.js';
export type { PaymentsAdminMethods } from './payments-admin.js';
export type { ProviderBalancesView, ProviderBalanceView } from './provider-balances.js';
export type {
  AdjustmentView,
  FloatMovementView,
  FreezeView,
  StatementView,
  WalletView,
} from './readers/money-views.js';
export * from './readers/views.js';
