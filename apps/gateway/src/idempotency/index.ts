export { AcceptedBefore, type AcceptedBeforeOptions } from './accepted-before.js';
export { parseIdempotencyKey } from './idempotency-key.js';
export { IdempotencyStore } from './idempotency.store.js';
export type { AcceptanceRecord, MoneyOutcome } from './money-outcome.js';
export { RunOnce } from './run-once.js';
export { sweepIdempotencyKeys } from './sweep-idempotency-keys.job.js';
