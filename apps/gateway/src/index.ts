import type { GatewayDependencies, GatewayService } from './start-gateway.js';

export type { GatewayDependencies, GatewayService };
export { openGatewayDesk, type GatewayDeskGround, type GatewayDeskMethods } from './desk/gateway-desk.js';
export { readinessApart, type Readiness } from './check-readiness.js';

/** As in start-gateway.ts, which is loaded when it is called: the desk wants the tables alone, and no framework. */
export async function startGateway(deps: GatewayDependencies): Promise<GatewayService> {
  return (await import('./start-gateway.js')).startGateway(deps);
}
export type { MadeKey } from './desk/key-desk.js';
export type { KeyView } from './desk/key-view.js';
export type { PartnerView } from './desk/partner-view.js';
export type { TermsView } from './desk/terms-desk.js';
