import { performance } from 'node:perf_hooks';

import { BootError } from '@vuka/runtime';

/** Prints one line for people. */
export type Tell = (line: string) => void;

/** Steps of a start that go on side by side; each is told of when it is done, with the time it took. */
export class StackSteps {
  constructor(private readonly tell: Tell) {}

  /** Throws BootError. */
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
        'What had been started is stopped. Start again with LOG_LEVEL=debug to see more.',
        { cause: error },
      );
    }
  }
}

/** All of them; where one fails, waits for the others and throws the first failure. */
export async function together(works: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}
