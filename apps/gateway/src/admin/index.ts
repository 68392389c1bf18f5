export { type GatewayDeskMethods, openGatewayDesk } from './gateway-desk.js';
export type { MadeKey } from './key-desk.js';
export type { KeyView } from './key-view.js';
export type { PartnerView } from './partner-view.js';
export type { TermsView } from './terms-desk.js';
