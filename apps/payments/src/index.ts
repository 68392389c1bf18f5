import type { PaymentsDependencies } from './payments-dependencies.js';
import type { PaymentsService } from './payments.js';

export type { PaymentsDependencies, PaymentsService };
export { checkLedger, type LedgerReport } from './ledger/check-ledger.js';
export type { ChainAccountsView } from './desk/chain-accounts.js';
export type { RailBalancesView, RailBalanceView } from './desk/rail-balances.js';
export type { LedgerView } from './desk/payments-desk.js';
export { openPaymentsDesk, type PaymentsDeskMethods } from './desk/payments-methods.js';
export type { AdjustmentView, FreezeView, StatementView, WalletView } from './desk/money-views.js';
export * from './desk/views.js';
export type { SettlementProposal } from './settle-payout.js';

/** As in payments.ts, which is loaded when it is called: the desk wants the read models alone, and no framework. */
export async function createPayments(deps: PaymentsDependencies): Promise<PaymentsService> {
  return (await import('./payments.js')).createPayments(deps);
}
