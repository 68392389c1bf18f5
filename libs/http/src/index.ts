export { DeskRefusedError, type OperatorName, localDesk, remoteDesk } from './admin/desk-calls.js';
export { DeskHost, type DeskHostOptions } from './admin/desk-host.js';
export * from './internal/call-context.js';
export * from './internal/http-services.js';
export * from './internal/in-process-services.js';
export * from './internal/internal-server.js';
export * from './limits/token-buckets.js';
export * from './outbound/outbound.js';
export { reachableUrl } from './outbound/reachable-url.js';
