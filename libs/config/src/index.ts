export * from './address-ranges.js';
export {
  type ChainSecrets,
  type ChainSettings,
  type UnappliedPolicy,
  chainVariable,
  checkChainSettings,
  checkedEndpoints,
  isReadableChain,
  withChainSecrets,
  withRateSecrets,
} from './chain-settings.js';
export * from './load-terms.js';
export type { RateLimitSettings, RequestRate } from './rate-limit-settings.js';
export { type RateSettings, ratesUrlOf } from './rate-settings.js';
export * from './refuse-setting.js';
export * from './server-prefixes.js';
export { readCertificates, readPrivateJson, readSettingJson, readPrivateKey } from './setting-files.js';
export { isHostName } from './settings-variables.js';
export * from './settings.js';
export * from './risks/live-risks.js';
export * from './risks/refuse-unsafe.js';
export { RISK_NAMES, type RiskName } from './risks/risk-names.js';
