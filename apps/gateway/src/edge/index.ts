export { gatewayAdapter, type GatewayAdapterOptions } from './gateway-adapter.js';
export { bodyOf, callerOf, idempotencyKeyOf, queryOf } from './request-parts.js';
