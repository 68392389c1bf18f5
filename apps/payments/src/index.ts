export { createPayments, type PaymentsDependencies, type PaymentsService } from './payments.js';
export { checkLedger, type LedgerReport } from './ledger/check-ledger.js';
