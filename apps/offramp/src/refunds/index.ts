export { DueRefunds } from './due-refunds.js';
export { PartnerStatusStore } from './partner-status.store.js';
export { type Recorded, RecordRefund } from './record-refund.js';
export type { PeoplesWord, RefundNamed } from './refund-commit.js';
export { mostRent, rentSpent, whyTooDear } from './refund-cost.js';
export type { FateKnown, LiveVersion, NewRefund, NextTurn, RefundInHand } from './refund-in-hand.js';
export { COST, ENDING, SCREENED, SHORT, SUSPENDED, UNSURE, WITHHELD } from './refund-troubles.js';
export { RefundStore, type RefundView } from './refund.store.js';
export { TransferStore } from './transfer.store.js';
