export { paymentsMigrations } from './migrations.js';
export { MoveWriter } from './move-writer.js';
export type {
  AttemptEnd,
  AttemptPatch,
  DepositState,
  InboxMark,
  Insertion,
  Move,
  MoveOutcome,
  NewAttempt,
  NewDeposit,
  NewRefund,
  PayDetails,
  Posting,
  RefundPatch,
  SealedDestination,
  TransactionLife,
  TransactionDetails,
  Transition,
  ValuedDeposit,
} from './move.js';
export { referenceOf } from './posting-reference.js';
export { TransactionIds } from './transaction-ids.js';
export { CommitModule } from './commit.module.js';
