export { ClaimWatch } from './claim-watch.js';
export { CreditUnapplied } from './credit-unapplied.js';
export { LookAtClaims } from './look-at-claims.js';
export { OfframpMetrics } from './offramp-metrics.js';
