import type * as Bull from 'bullmq';

/** Takes 200 ms or more: call it early. */
export function loadBull(): Promise<typeof Bull> {
  return import('bullmq');
}

/** When a dead worker's wake is released; ticks do not wait for it. */
const STALLED_AFTER_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

export const WORKER_OPTIONS = {
  autorun: false,
  concurrency: 1,
  lockDuration: STALLED_AFTER_MS,
  skipLockRenewal: true,
  stalledInterval: STALLED_AFTER_MS,
  runRetryDelay: RETRY_AFTER_MS,
} as const;
