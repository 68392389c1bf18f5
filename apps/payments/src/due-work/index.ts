export { ClaimLoop, GATHER_MS } from './claim-loop.js';
export { type Lease, leaseFor, leftOf } from './lease.js';
export { OUT_PATIENCE_MS, StaleAlerts } from './stale-alerts.js';
export { PARTNER_TRAFFIC, PayoutWake } from './payout-wake.js';
export { DueWorkModule } from './due-work.module.js';
