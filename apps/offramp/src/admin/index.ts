export { ChainAdmin, type SwitchView, type UnclaimedView } from './chain-admin.js';
export type { HoldingsView, HoldingView } from './chain-holdings.js';
export { type OfframpAdminMethods, openOfframpAdmin } from './offramp-admin.js';
export type { ImportedTransfer, TransfersToSign } from './refund-admin.js';
