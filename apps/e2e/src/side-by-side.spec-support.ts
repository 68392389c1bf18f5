import { beforeAll, describe, it } from '@jest/globals';

export type Track = Readonly<Record<string, () => Promise<void>>>;

/**
 * Slow tests in parallel: all tracks start when the first test is awaited, and each test reports its own result.
 * A test that disturbs others (stops a chain, moves its clock, sends twenty at once) must be in their track.
 */
export function sideBySide(title: string, tracks: readonly Track[], withinMs: number): void {
  const begun = new Map<string, Promise<void>>();

  describe(title, () => {
    beforeAll(() => {
      for (const track of tracks) {
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

/** The result of a test that was started before. One never started fails. */
export function begunAs(begun: ReadonlyMap<string, Promise<void>>, name: string): Promise<void> {
  return begun.get(name) ?? Promise.reject(new Error(`nobody began: ${name}`));
}
