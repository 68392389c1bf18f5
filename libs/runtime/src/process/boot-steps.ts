import { performance } from 'node:perf_hooks';

import { BootError } from './boot-error.js';

/** Whole milliseconds. */
export type StepTold = (title: string, ms: number) => void;

interface Started {
  readonly title: string;
  readonly stop: () => Promise<void>;
}

/** Kept for the last stop (the database). */
const LAST_STOP_MS = 3_000;

export class StoppedWhileStarting extends Error {
  override readonly name = 'StoppedWhileStarting';
}

/** Starts in order, stops in reverse. */
export class BootSteps {
  private readonly started: Started[] = [];
  private current: Promise<unknown> = Promise.resolve();
  private stopping: Promise<void> | null = null;

  constructor(private readonly tell: StepTold) {}

  /** `stop` undoes it; a step that throws must undo itself. Throws BootError. */
  async run<T>(title: string, work: () => Promise<T>, stop?: (started: T) => Promise<void>): Promise<T> {
    if (this.stopping !== null) throw new StoppedWhileStarting(title);
    const from = performance.now();
    const running = work().then((result) => {
      if (stop !== undefined) this.started.push({ title, stop: () => stop(result) });
      return result;
    });
    this.current = running.catch(() => undefined);
    const result = await running.catch((error: unknown) => {
      throw explained(title, error);
    });
    this.tell(title, Math.round(performance.now() - from));
    return result;
  }

  /** Waits for a running step first. Throws what could not be stopped. */
  stop(limitMs: number): Promise<void> {
    this.stopping ??= this.stopAll(Date.now() + limitMs);
    return this.stopping;
  }

  private async stopAll(deadline: number): Promise<void> {
    const failures: string[] = [];
    const attempt = async (title: string, until: number, work: () => Promise<unknown>): Promise<void> => {
      try {
        await within(until, work());
      } catch (error) {
        failures.push(`${title}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    await attempt('the step under way', deadline - LAST_STOP_MS, () => this.current);
    for (let next = this.started.pop(); next !== undefined; next = this.started.pop()) {
      const isLast = this.started.length === 0;
      const { title, stop } = next;
      await attempt(title, isLast ? deadline : deadline - LAST_STOP_MS, stop);
    }
    if (failures.length > 0) throw new Error(`could not be stopped: ${failures.join('; ')}`);
  }
}

async function within(deadline: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end in time')), Math.max(0, deadline - Date.now()));
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function explained(title: string, error: unknown): Error {
  if (error instanceof BootError || error instanceof StoppedWhileStarting) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new BootError(
    `${title}: ${why}`,
    'Nothing was lost. Everything that was started is stopped again. Start with LOG_LEVEL=debug to see more.',
    {
      cause: error,
    },
  );
}
