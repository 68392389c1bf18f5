export { type Counted, POLICY_NAMES, RateLimits } from './rate-limits.js';
