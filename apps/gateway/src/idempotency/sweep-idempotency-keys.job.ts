import type { JobClock } from '@vuka/jobs';
import { type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';

import type { IdempotencyStore } from './idempotency.store.js';

const BATCH = 500;
/** Should the job clock be down, keys are still swept now and then. */
const SAFETY_POLL_MS = 3_600_000;

/**
 * Removes idempotency keys older than their 24 hours, 500 at a time. Before the job clock starts. `clockAgrees` is asked before each: what a
 * clock that was set ahead takes for old are everybody's keys, and without its key a repeat pays twice. Keys that stay longer harm nobody.
 */
export function sweepIdempotencyKeys(
  store: Pick<IdempotencyStore, 'sweep'>,
  jobs: Pick<JobClock, 'every'>,
  log: Logger,
  clockAgrees: () => Promise<boolean> = () => Promise.resolve(true),
): RunningLoop {
  const signal = new WakeSignal();
  jobs.every('gateway.sweep-idempotency-keys', () => {
    signal.notify();
  });
  return runLoop({
    name: 'gateway.sweep-idempotency-keys',
    tick: async () => (await clockAgrees()) && (await store.sweep(BATCH)) === BATCH,
    signal,
    idleMs: SAFETY_POLL_MS,
    log,
  });
}
