export {
  type ArrivingDeposit,
  depositFactsOf,
  depositPartOf,
  depositReference,
  fundingOf,
  isIncomingTransfer,
  isReversal,
  revertedFactsOf,
  type Verdict,
} from './deposit-move.js';
export {
  DepositStore,
  type EarlyCredit,
  type KeptDeposit,
  type OrderShare,
  remainderOf,
  USED_SQL,
  type VanishedDeposit,
} from './deposit.store.js';
export {
  grantedEvent,
  heldEvent,
  isTooLittle,
  refundOfPay,
  refundViewOf,
  withdrawnEvents,
  withdrawnPart,
} from './refund-move.js';
export { groundOfPay, heldTold, type RefundGround, refundTold, takenBackTold } from './refund-webhook.js';
export {
  type GrantableRefund,
  type KeptRefund,
  MOST_PURPOSES,
  RefundStore,
  type SafeAfter,
  type TransferName,
  type TransferPurpose,
  type TransferredDeposit,
} from './refund.store.js';
export { ValueModule } from './value.module.js';
