export { ChainDesk, type SwitchView, type UnclaimedView } from './chain-desk.js';
export type { HoldingsView, HoldingView } from './chain-holdings.js';
export { type OfframpDeskMethods, openOfframpDesk } from './offramp-desk.js';
export type { ImportedTransfer, TransfersToSign } from './refund-desk.js';
