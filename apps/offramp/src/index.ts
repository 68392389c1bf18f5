export {
  ChainAdmin,
  type HoldingsView,
  type HoldingView,
  type ImportedTransfer,
  type OfframpAdminMethods,
  openOfframpAdmin,
  type SwitchView,
  type TransfersToSign,
  type UnclaimedView,
} from './admin/index.js';
export { SANDBOX_XPUB } from './addresses/index.js';
export { SANDBOX_SCREENED } from './screening/index.js';
export type { RefundView } from './refunds/index.js';
export { offramp } from './offramp.js';
export type { OfframpRoot } from './offramp.root.js';
export { OFFRAMP_MIGRATIONS } from './store/migrations.js';
