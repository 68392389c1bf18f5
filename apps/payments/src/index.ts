import type { PaymentsDependencies } from './payments-dependencies.js';
import type { PaymentsService } from './payments.js';

export type { PaymentsDependencies, PaymentsService };
export { checkLedger, type LedgerReport } from './ledger/index.js';
export {
  type AdjustmentView,
  type ChainAccountsView,
  type FreezeView,
  type LedgerView,
  openPaymentsDesk,
  type PaymentsDeskMethods,
  type RailBalancesView,
  type RailBalanceView,
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
  type HeldBackView,
  type HoldView,
  type IncidentView,
  type MoneyView,
  type OpenRefundView,
  type PaidAgainView,
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

/** As in payments.ts, which is loaded when it is called: the desk wants the read models alone, and no framework. */
export async function createPayments(deps: PaymentsDependencies): Promise<PaymentsService> {
  return (await import('./payments.js')).createPayments(deps);
}
