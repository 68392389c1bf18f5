export { AttemptClaims, type ClaimedAttempt, type ClaimPurpose } from './attempt-claims.store.js';
export {
  type AttemptRecord,
  AttemptStore,
  type HintedEntry,
  type History,
  isPaidAlready,
  type KeptAttempt,
  NO_HISTORY,
} from './attempt.store.js';
export { CONTRADICTS } from './stop-conditions.js';
export { correctionOf, type LatePayment, messageBeside, paymentTold } from './status/correction.js';
export { DestinationVault } from './destination-vault.js';
export { GetTransaction } from './status/get-transaction.js';
export {
  firstOf,
  FROZEN_SQL,
  HELD_BACK_SQL,
  ChainExitBlocks,
  type WhyFrozen,
  type ChainExitBlock,
} from './chain-exit-blocks.store.js';
export { type OrderCredit, OrderStore } from './order.store.js';
export { monthOf, RecipientKeys, recipientKeyOf } from './recipient-keys.js';
export { statusRowOf } from './status/status-row.js';
export { givenOf } from './transaction-snapshot.js';
export {
  PAYMENT_STANDS_SQL,
  type TransactionPlace,
  type TransactionSnapshot,
  TransactionStore,
} from './transaction.store.js';
export { givenUp, unsentCurrent } from './unsent-attempt.js';
export { TransactionsModule } from './transactions.module.js';
