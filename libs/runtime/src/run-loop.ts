import type { Logger } from './logger.js';
import { WakeSignal } from './wake-signal.js';

const FIRST_BACKOFF_MS = 100;
const LONGEST_BACKOFF_MS = 5_000;

export interface LoopOptions {
  readonly name: string;
  /** One bounded piece of work; true: there may be more. */
  readonly tick: () => Promise<boolean>;
  readonly signal: WakeSignal;
  /** Longest sleep without a wake-up. */
  readonly idleMs: number;
  /** Pause after a wake-up, to batch work; default 0. */
  readonly gatherMs?: number;
  readonly log: Logger;
}

export interface RunningLoop {
  /** Waits for the running tick. */
  stop(): Promise<void>;
}

/** After an error: retry in 100 ms, doubling up to 5 s. */
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
      log.error({ err: error, loop: name, failures, backoff_ms: backoffMs }, 'a loop failed; it runs again');
      await pause.wait(backoffMs, stopping);
    }
  }
}
