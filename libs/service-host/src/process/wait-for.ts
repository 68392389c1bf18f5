import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import { BootError, type Logger, StoppedWhileStarting } from '@vuka/runtime';

export interface Wait<T> {
  /** For people. */
  readonly what: string;
  readonly attempt: () => Promise<T>;
  readonly patienceMs: number;
  readonly log: Logger;
  /** Ends the wait with StoppedWhileStarting. */
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;
const TELL_EVERY_MS = 5_000;

/** Throws BootError with the last reason after `patienceMs`. */
export async function waitFor<T>({ what, attempt, patienceMs, log, signal, everyMs = EVERY_MS }: Wait<T>): Promise<T> {
  const from = performance.now();
  let toldAt = -Infinity;
  for (;;) {
    if (signal.aborted) throw new StoppedWhileStarting(what);
    try {
      return await attempt();
    } catch (error) {
      const now = performance.now();
      if (now - from >= patienceMs) {
        throw new BootError(
          `${what} was not reached within ${Math.round(patienceMs / 1_000)} s: ${reasonOf(error)}`,
          'Start it, or correct its address in the settings.',
          { cause: error },
        );
      }
      if (now - toldAt >= TELL_EVERY_MS) {
        toldAt = now;
        log.warn({ reason: reasonOf(error), waited_ms: Math.round(now - from) }, `waiting for ${what}`);
      }
    }
    await sleep(Math.min(everyMs, Math.max(0, from + patienceMs - performance.now())), undefined, { signal }).catch(
      () => undefined,
    );
  }
}

/** An AggregateError has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
