export { ClaimLoop, GATHER_MS } from './claim-loop.js';
export { type Lease, leaseFor, leftOf } from './lease.js';
export { PageByAge } from './page-by-age.js';
export { PARTNER_TRAFFIC, PayoutWake } from './payout-wake.js';
export { DueWorkModule } from './due-work.module.js';
