export {
  type GatewayDeskMethods,
  type KeyView,
  type MadeKey,
  openGatewayDesk,
  type PartnerView,
  type TermsView,
} from './admin/index.js';
export { gateway } from './gateway.js';
export type { GatewayRoot } from './gateway.root.js';
