export { type OpenOutgoing, OPEN_OUTGOING, OutgoingChains } from './outgoing-chains.js';
export { provenWhen } from './proven-when.js';
export { SIGNER_OF, SignTransfer } from './sign-transfer.js';
export { TransfersModule } from './transfers.module.js';
export { WorkOnRefunds } from './work-on-refunds.js';
