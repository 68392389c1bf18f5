export {
  type AttemptRecord,
  AttemptStore,
  type HintedEntry,
  type History,
  isPaidAlready,
  NO_HISTORY,
} from './attempt.store.js';
export { CONTRADICTS } from './contradictions.js';
export { correctionOf, type LatePayment, messageBeside, paymentTold } from './correction.js';
export { DestinationVault } from './destination-vault.js';
export { GetTransaction } from './get-transaction.js';
export {
  firstOf,
  FROZEN_SQL,
  HELD_BACK_SQL,
  HeldBackStore,
  type WhyFrozen,
  type WhyHeldBack,
} from './held-back.store.js';
export { ListTransactions } from './list-transactions.js';
export { LIST_TIMEOUT_MS, LISTS_AT_ONCE, ListTurns } from './list-turns.js';
export { type CreditTerms, OrderStore } from './order.store.js';
export { type ListScope, PageCursors } from './page-cursor.js';
export {
  type BeyondQuote,
  type ClaimedAttempt,
  type ClaimPurpose,
  PAYMENT_STANDS_SQL,
  type TransactionSnapshot,
  TransactionStore,
} from './transaction.store.js';
export { givenUp, unsentCurrent } from './unsent-attempt.js';
