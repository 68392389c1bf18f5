export { startGateway, type GatewayDependencies, type GatewayService } from './start-gateway.js';
export { readinessApart, type Readiness } from './check-readiness.js';
export type { MadeKey } from './desk/key-desk.js';
export type { KeyView } from './desk/key-view.js';
