export { AccountModule } from './account.module.js';
export { feesIn, type FeeView, limitsIn, type LimitView } from './limits-and-fees.js';
export { STATEMENT_FIELDS } from './wallet-statement.js';
export {
  ACCOUNT_ANSWERS,
  ACCOUNT_OPERATIONS,
  REFERENCE_ANSWERS,
  REFERENCE_OPERATIONS,
  TERMS_ANSWERS,
} from './account.operations.js';
