export { checkLedger, type LedgerReport } from './check-ledger.js';
