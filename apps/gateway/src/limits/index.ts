export { LimitsModule } from './limits.module.js';
export { type Counted, POLICY_NAMES, RateLimits } from './rate-limits.js';
