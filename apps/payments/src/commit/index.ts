export { paymentsMigrations, SEALED_CHAINS } from './migrations.js';
export { CommitWriter } from './commit-writer.js';
export type {
  AttemptEnd,
  AttemptPatch,
  DepositState,
  InboxMark,
  Insertion,
  PaymentCommit,
  CommitOutcome,
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
  VelocityCount,
} from './payment-commit.js';
export { type FeeOf, feeReference, providerFeePosting, referenceOf } from './posting-reference.js';
export { TransactionIds } from './transaction-ids.js';
export { VelocityStore } from './velocity.store.js';
export { CommitModule } from './commit.module.js';
