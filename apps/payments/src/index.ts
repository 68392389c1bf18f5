export { createPayments, type PaymentsDependencies, type PaymentsService } from './payments.js';
export { checkLedger, type LedgerReport } from './ledger/check-ledger.js';
export { PaymentsDesk, type LedgerView, type PaymentsDeskDependencies } from './desk/payments-desk.js';
export * from './desk/views.js';
export type { SettlementProposal } from './settle-payout.js';
