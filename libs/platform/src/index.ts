export * from './address-ranges.js';
export * from './answer-within.js';
export * from './boot-error.js';
export * from './boot-steps.js';
export * from './call-context.js';
export { ratesUrlOf, type RateSettings } from './rate-settings.js';
export {
  chainVariable,
  checkChainSettings,
  checkedEndpoints,
  isReadableChain,
  withChainSecrets,
  withRateSecrets,
  type ChainSecrets,
  type ChainSettings,
  type UnappliedPolicy,
} from './chain-settings.js';
export * from './cipher.js';
export * from './clock.js';
export * from './crash-points.js';
export { DeskRefusedError, localDesk, remoteDesk, type OperatorName } from './desk-calls.js';
export { DeskHost, type DeskHostOptions } from './desk-host.js';
export * from './errors.js';
export * from './folder-claim.js';
export * from './http-services.js';
export * from './in-process-services.js';
export * from './internal-server.js';
export * from './lifetime.js';
export * from './load-terms.js';
export * from './logger.js';
export * from './metrics.js';
export * from './outbound.js';
export * from './process-identity.js';
export { uuidv7 } from './random-source.js';
export { reachableUrl } from './reachable-url.js';
export { readableLine } from './readable-line.js';
export * from './run-loop.js';
export * from './server-prefixes.js';
export * from './service.js';
export * from './refuse-setting.js';
export { readCertificates, readPrivateJson, readPrivateKey } from './setting-files.js';
export * from './settings.js';
export * from './token-buckets.js';
export * from './wake-signal.js';
