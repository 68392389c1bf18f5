import { beforeAll, describe, it } from '@jest/globals';

/** Tests that happen one after the other, by name. */
export type Track = Readonly<Record<string, () => Promise<void>>>;

/**
 * Tests that mostly wait: all lanes begin when the first of them is asked for, and each test tells what came of its own. What would disturb
 * another (it stops a chain, moves its clock, sends twenty at once) has its place in that one's lane.
 */
export function sideBySide(title: string, tracks: readonly Track[], withinMs: number): void {
  const begun = new Map<string, Promise<void>>();

  describe(title, () => {
    beforeAll(() => {
      for (const track of tracks) {
        // Whatever becomes of the one before.
        let before: Promise<void> = Promise.resolve();
        for (const [name, test] of Object.entries(track)) {
          if (begun.has(name)) throw new Error(`two tests are called: ${name}`);
          const running = before.then(test);
          before = running.catch(() => undefined);
          begun.set(name, running);
        }
      }
    });

    it.each(tracks.flatMap((track) => Object.keys(track)))('%s', (name) => begunAs(begun, name), withinMs);
  });
}

/** What came of a test that was begun before it was asked for. One that nobody began has failed. */
export function begunAs(begun: ReadonlyMap<string, Promise<void>>, name: string): Promise<void> {
  return begun.get(name) ?? Promise.reject(new Error(`nobody began: ${name}`));
}
