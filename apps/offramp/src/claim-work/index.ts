export { ClaimWatch } from './claim-watch.js';
export { ClaimWorkModule } from './claim-work.module.js';
export { CreditUnapplied } from './credit-unapplied.js';
export { CheckDeposits } from './check-deposits.js';
export { OfframpMetrics } from './offramp-metrics.js';
