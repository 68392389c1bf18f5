export {
  type GatewayAdminMethods,
  type KeyView,
  type MadeKey,
  openGatewayAdmin,
  type PartnerView,
  type PepperView,
  type TermsView,
} from './admin/index.js';
export { gateway } from './gateway.js';
export type { GatewayRoot } from './gateway.root.js';
