import type { Logger } from './logger.js';
import { WakeSignal } from './wake-signal.js';

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5_000;

export interface LoopOptions {
  readonly name: string;
  /** Does one bounded piece of work; true when there may be more of it right now. */
  readonly tick: () => Promise<boolean>;
  readonly signal: WakeSignal;
  /** The longest sleep when nobody wakes the loop: the safety poll. */
  readonly idleMs: number;
  /** How long a woken loop waits for more to arrive, so that what comes together is done together; 0 by default. */
  readonly gatherMs?: number;
  readonly log: Logger;
}

export interface RunningLoop {
  /** Starts no new tick; resolves when the one in flight has ended. */
  stop(): Promise<void>;
}

/** Runs `tick` until stopped. A tick that throws is logged and tried again after 100 ms, doubling up to 5 s. */
export function runLoop(options: LoopOptions): RunningLoop {
  const stopping = new AbortController();
  const ended = loop(options, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function loop(
  { name, tick, signal, idleMs, gatherMs = 0, log }: LoopOptions,
  stopping: AbortSignal,
): Promise<void> {
  const pause = new WakeSignal();
  let failures = 0;
  while (!stopping.aborted) {
    try {
      const more = await tick();
      failures = 0;
      if (more) continue;
      await signal.wait(idleMs, stopping);
      if (gatherMs > 0) await pause.wait(gatherMs, stopping);
    } catch (error) {
      const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** Math.min(failures, 10), LONGEST_BACKOFF_MS);
      failures += 1;
      log.error({ err: error, loop: name, failures, backoff_ms: backoffMs }, 'loop failed, trying again');
      await pause.wait(backoffMs, stopping);
    }
  }
}
