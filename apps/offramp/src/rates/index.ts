export { HttpRateSource } from './http-rate-source.js';
export { rateRules } from './rate-rules.js';
export type { RateSource } from './rate-source.js';
export { RateStore } from './rate.store.js';
export { type Peg, Rates } from './rates.js';
export { sandboxRates } from './sandbox-rates.js';
