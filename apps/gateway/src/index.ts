export { startGateway, type GatewayDependencies, type GatewayService } from './start-gateway.js';
export type { Readiness } from './check-readiness.js';
