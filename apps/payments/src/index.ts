export { payments } from './payments.js';
export type { PaymentsRoot } from './payments.root.js';
export { checkLedger, type LedgerReport } from './ledger/index.js';
export {
  type AdjustmentView,
  type CallbacksView,
  type ChainAccountsView,
  type FreezeView,
  type LedgerView,
  openPaymentsAdmin,
  type PaymentsAdminMethods,
  type ProviderBalancesView,
  type ProviderBalanceView,
  type StatementView,
  type WalletView,
} from './admin/index.js';
export {
  STUCK_SECTIONS,
  type AttemptView,
  type DebtView,
  type DepositRefundView,
  type DepositView,
  type DestinationView,
  type FrozenView,
  type StalledOutbox,
  type HoldView,
  type IncidentView,
  type MoneyView,
  type OpenRefundView,
  type DuplicatePaymentView,
  type PayView,
  type PostingView,
  type ReturnAddressView,
  type SettlementView,
  type StuckReport,
  type StuckSection,
  type TransactionReport,
  type TransactionSummary,
  type TransactionView,
  type TransitionView,
  type UnappliedView,
  type WaitingView,
} from './admin/index.js';
export type { SettlementProposal } from './settlements/index.js';
