import { performance } from 'node:perf_hooks';

import { BootError } from '@vuka/runtime';

export type Tell = (line: string) => void;

/** Start steps that run in parallel; each is reported when done, with its duration. */
export class StackSteps {
  constructor(private readonly tell: Tell) {}

  async run<T>(title: string, work: () => Promise<T>): Promise<T> {
    const from = performance.now();
    try {
      const result = await work();
      this.tell(`  ✓ ${title} (${Math.round(performance.now() - from)} ms)`);
      return result;
    } catch (error) {
      if (error instanceof BootError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new BootError(
        `${title}: ${why}`,
        'Everything that was started is stopped again. Start with LOG_LEVEL=debug to see more.',
        { cause: error },
      );
    }
  }
}

/** If one fails, waits for the others, then throws the first failure. */
export async function together(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}
