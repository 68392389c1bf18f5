export { meterRefunds, PageRefunds } from './page-refunds.js';
export { PartnerConsumer } from './partner.consumer.js';
export { RecordPartnerStatus } from './record-partner-status.js';
export { type PeoplesWord, type Recorded, RecordRefund, type RefundNamed } from './record-refund.js';
export { mostRent, rentSpent, whyTooDear } from './refund-cost.js';
export { RefundHold } from './refund-hold.js';
export { ENDING, SCREENED, SHORT, SUSPENDED, UNSURE, WITHHELD } from './refund-troubles.js';
export { RefundWatch } from './refund-watch.js';
export { RefundConsumer } from './refund.consumer.js';
export {
  type FateKnown,
  type LiveVersion,
  type NextTurn,
  type RefundInHand,
  RefundStore,
  type RefundView,
} from './refund.store.js';
export { TakeRefund } from './take-refund.js';
export { TransferStore } from './transfer.store.js';
