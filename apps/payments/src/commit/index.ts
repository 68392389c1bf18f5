export { paymentsMigrations } from './migrations.js';
export { MoveWriter } from './move-writer.js';
export type {
  AttemptEnd,
  AttemptPatch,
  Deposit,
  DepositState,
  InboxMark,
  Insertion,
  Move,
  MoveOutcome,
  NewAttempt,
  NewDeposit,
  NewRefund,
  PayTerms,
  Posting,
  RefundPatch,
  SealedDestination,
  TransactionLife,
  TransactionTerms,
  Transition,
} from './move.js';
export { referenceOf } from './posting-reference.js';
export { TransactionIds } from './transaction-ids.js';
