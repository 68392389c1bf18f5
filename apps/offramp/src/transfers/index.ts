export { makeRefunds, outgoingOf, refundGuards } from './make-refunds.js';
export { type OpenOutgoing, OutgoingChains } from './outgoing-chains.js';
export { provenWhen } from './proven-when.js';
export { SignTransfer } from './sign-transfer.js';
export { WorkOnRefunds } from './work-on-refunds.js';
