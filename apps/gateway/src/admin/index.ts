export { type GatewayAdminMethods, openGatewayAdmin } from './gateway-admin.js';
export type { MadeKey } from './key-admin.js';
export type { KeyView } from './key-view.js';
export type { PartnerView } from './partner-view.js';
export type { PepperView } from './sealed-columns.js';
export type { TermsView } from './terms-admin.js';
