import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  readonly withinMs: number;
  readonly what: string;
  readonly everyMs?: number;
  /** Progress: the bound starts again whenever the mark changes, up to `atMostMs` in all. */
  readonly goesOn?: { readonly mark: () => number; readonly atMostMs: number };
}

type Falsy = false | null | undefined;

/**
 * Polls until the condition is truthy, and returns it. A condition that throws is not true yet; its last error is the
 * cause of the timeout.
 */
export async function until<T>(condition: () => Promise<T | Falsy> | T | Falsy, options: UntilOptions): Promise<T> {
  const { goesOn, withinMs } = options;
  const lastMs = Date.now() + (goesOn?.atMostMs ?? withinMs);
  let giveUpAt = Date.now() + withinMs;
  let mark = goesOn?.mark();
  let lastError: unknown;
  for (;;) {
    try {
      const found = await condition();
      if (found !== false && found !== null && found !== undefined) return found;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (goesOn !== undefined && goesOn.mark() !== mark) {
      mark = goesOn.mark();
      giveUpAt = Math.min(Date.now() + withinMs, lastMs);
    }
    if (Date.now() >= giveUpAt) {
      const because = lastError instanceof Error ? `: ${lastError.message}` : '';
      throw new Error(`${options.what}: not within ${options.withinMs} ms${because}`, { cause: lastError });
    }
    await pause(options.everyMs ?? 20);
  }
}

export async function eachOf<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const answers = new Array<R>(items.length);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++)
      answers[index] = await work(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  return answers;
}
