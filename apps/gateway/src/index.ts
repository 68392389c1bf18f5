import type { GatewayDependencies, GatewayService } from './start-gateway.js';

export type { GatewayDependencies, GatewayService };
export {
  type GatewayDeskGround,
  type GatewayDeskMethods,
  type KeyView,
  type MadeKey,
  openGatewayDesk,
  type PartnerView,
  type TermsView,
} from './admin/index.js';
export { type Readiness, readinessApart } from './health/index.js';

/** As in start-gateway.ts, which is loaded when it is called: the desk wants the tables alone, and no framework. */
export async function startGateway(deps: GatewayDependencies): Promise<GatewayService> {
  return (await import('./start-gateway.js')).startGateway(deps);
}
