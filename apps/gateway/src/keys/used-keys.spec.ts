import { describe, expect, it } from '@jest/globals';
import { createLogger, ManualClock } from '@vuka/runtime';

import { MOST_USED, UsedKeys } from './used-keys.js';

function setUp() {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const written: [string, string][][] = [];
  const state = { fails: false, meanwhile: (): void => undefined };
  const log = createLogger('test', { level: 'silent' });
  const store = {
    markUsed: async (usedAt: ReadonlyMap<string, Date>): Promise<void> => {
      state.meanwhile();
      if (state.fails) throw new Error('the database is away');
      written.push([...usedAt].map(([prefix, at]): [string, string] => [prefix, at.toISOString().slice(14, 19)]));
    },
  };
  return { clock, written, state, used: new UsedKeys(store, clock, log) };
}

describe('when keys were used last', () => {
  it('is written together, once for each, with the newest time; and nothing where nothing was used', async () => {
    const { clock, written, used } = setUp();
    used.note('a');
    clock.advance(1_000);
    used.note('b');
    used.note('a');
    expect(written).toEqual([]);
    await used.onApplicationShutdown();
    await used.onApplicationShutdown();
    expect(written).toEqual([
      [
        ['a', '00:01'],
        ['b', '00:01'],
      ],
    ]);
  });

  it('is kept where it could not be written, and forgotten by nobody who is used meanwhile', async () => {
    const { clock, written, state, used } = setUp();
    used.note('a');
    used.note('b');
    state.fails = true;
    await used.onApplicationShutdown();
    clock.advance(5_000);
    used.note('b');
    state.fails = false;
    await used.onApplicationShutdown();
    expect(written).toEqual([
      [
        ['a', '00:00'],
        ['b', '00:05'],
      ],
    ]);
  });

  it('is remembered of a bounded number of keys', async () => {
    const { clock, written, used } = setUp();
    for (let n = 0; n <= MOST_USED; n++) used.note(`k${String(n)}`);
    clock.advance(1_000);
    used.note('k0');
    await used.onApplicationShutdown();
    expect(written[0]).toHaveLength(MOST_USED);
    expect(written[0]?.[0]).toEqual(['k0', '00:01']);
  });

  it('is remembered of no more where it cannot be written for long', async () => {
    const { written, state, used } = setUp();
    const noteMany = (round: string): void => {
      for (let n = 0; n < MOST_USED; n++) used.note(`${round}${String(n)}`);
    };
    noteMany('a');
    for (const round of ['b', 'c']) {
      Object.assign(state, { fails: true, meanwhile: () => noteMany(round) });
      await used.onApplicationShutdown();
    }
    Object.assign(state, { fails: false, meanwhile: () => undefined });
    await used.onApplicationShutdown();
    expect([written.length, written[0]?.length, written[0]?.[0]?.[0]]).toEqual([1, MOST_USED, 'a0']);
  });
});
