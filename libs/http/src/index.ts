export { AdminRefusedError, type OperatorName, localAdmin, remoteAdmin, runTaggedMethod } from './admin/admin-calls.js';
export { AdminHost, type AdminHostOptions } from './admin/admin-host.js';
export * from './internal/call-context.js';
export * from './internal/http-services.js';
export * from './internal/in-process-services.js';
export {
  type AcceptedCaller,
  type AcceptedOperator,
  type AcceptedService,
  credentialHash,
} from './internal/server/accepted-callers.js';
export * from './internal/server/internal-server.js';
export type { AdminOperations, Admins } from './internal/server/served-operation.js';
export * from './limits/token-buckets.js';
export { assertAddressIsFree, listenProblem } from './listen-address.js';
export * from './outbound/outbound.js';
export { reachableUrl } from './outbound/reachable-url.js';
