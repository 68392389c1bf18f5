export { AcceptedBefore } from './accepted-before.js';
export { parseIdempotencyKey } from './idempotency-key.js';
export { IdempotencyModule } from './idempotency.module.js';
export type { AcceptanceRecord, MoneyOutcome } from './money-outcome.js';
export { RunOnce } from './run-once.js';
