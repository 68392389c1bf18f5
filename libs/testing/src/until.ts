import { setTimeout as pause } from 'node:timers/promises';

export interface UntilOptions {
  /** The bound: a condition that does not come true within it is a failure. */
  readonly withinMs: number;
  /** What is waited for, for the failure's message. */
  readonly what: string;
  readonly everyMs?: number;
  /** What tells that it goes on: the bound begins anew whenever this changes, as long as all of it takes no more than `atMostMs`. */
  readonly goesOn?: { readonly mark: () => number; readonly atMostMs: number };
}

type Falsy = false | null | undefined;

/**
 * Asks again and again until the condition gives something, and gives that. A condition that throws is not true
 * yet; the last error is the cause of the failure when time runs out.
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

/** Does `work` for every item, `width` at a time, and keeps the order of the answers. */
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
