export { startGateway, type GatewayDependencies, type GatewayService } from './start-gateway.js';
export { readinessApart, type Readiness } from './check-readiness.js';
