import { describe, expect, it } from '@jest/globals';

import { BootSteps, StoppedWhileStarting } from './boot-steps.js';

const LIMIT_MS = 5_000;

function recorder(): { steps: BootSteps; seen: string[]; start: (name: string) => Promise<void> } {
  const seen: string[] = [];
  const steps = new BootSteps(() => undefined);
  const start = (name: string): Promise<void> =>
    steps.run(
      name,
      async () => void seen.push(`+${name}`),
      async () => void seen.push(`-${name}`),
    );
  return { steps, seen, start };
}

describe('the steps of a start', () => {
  it('are undone in the opposite order, once', async () => {
    const { steps, seen, start } = recorder();
    for (const name of ['a', 'b', 'c']) await start(name);
    await Promise.all([steps.stop(LIMIT_MS), steps.stop(LIMIT_MS)]);
    expect(seen).toEqual(['+a', '+b', '+c', '-c', '-b', '-a']);
  });

  it('leave out what failed and undo the rest', async () => {
    const { steps, seen, start } = recorder();
    await start('a');
    await expect(
      steps.run(
        'b',
        () => Promise.reject(new Error('no')),
        async () => void seen.push('-b'),
      ),
    ).rejects.toThrow('no');
    await steps.stop(LIMIT_MS);
    expect(seen).toEqual(['+a', '-a']);
  });

  it('wait for the step under way, undo it, and begin no other', async () => {
    const { steps, seen, start } = recorder();
    let finish: () => void = () => undefined;
    const slow = steps.run(
      'slow',
      () => new Promise<void>((resolve) => (finish = resolve)),
      async () => void seen.push('-slow'),
    );
    const stopped = steps.stop(LIMIT_MS);
    finish();
    await slow;
    await stopped;
    expect(seen).toEqual(['-slow']);
    await expect(start('late')).rejects.toBeInstanceOf(StoppedWhileStarting);
  });

  it('go on to the next when one does not stop, and say so', async () => {
    const { steps, seen, start } = recorder();
    await start('database');
    await steps.run(
      'deaf',
      async () => undefined,
      () => new Promise<void>(() => undefined),
    );
    await steps.run(
      'broken',
      async () => undefined,
      () => Promise.reject(new Error('no')),
    );
    await expect(steps.stop(3_050)).rejects.toThrow('broken: no; deaf: it did not end in time');
    expect(seen).toEqual(['+database', '-database']);
  });
});
