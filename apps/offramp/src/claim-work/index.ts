export { ClaimWatch } from './claim-watch.js';
export { ClaimWorkModule } from './claim-work.module.js';
export { CreditUnapplied } from './credit-unapplied.js';
export { LookAtClaims } from './look-at-claims.js';
export { OfframpMetrics } from './offramp-metrics.js';
