import type * as Bull from 'bullmq';

/** Loading BullMQ takes a fifth of a second or more: asked for early, it passes while the stores start. */
export function loadBull(): Promise<typeof Bull> {
  return import('bullmq');
}

/** A worker that died holding a wake lets it go after this. Its successor's next tick does not wait for it. */
const STALLED_AFTER_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/** Of a worker of wakes, whatever the store: one at a time, for a wake takes no time. */
export const WORKER_OPTIONS = {
  autorun: false,
  concurrency: 1,
  lockDuration: STALLED_AFTER_MS,
  skipLockRenewal: true,
  stalledInterval: STALLED_AFTER_MS,
  runRetryDelay: RETRY_AFTER_MS,
} as const;
