import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import { type KeptValues, ProviderValues } from './kept-values.js';

const DAY_MS = 24 * 3_600_000;

describe('what an adapter keeps in memory', () => {
  it('is relied on for a day, and then the store is asked', async () => {
    const clock = new ManualClock(new Date('2026-11-20T12:00:00.000Z'));
    const stored = new Map<string, string>();
    const store: KeptValues = {
      read: async (key) => stored.get(key) ?? null,
      keep: async (key, value) => void stored.set(key, value),
    };
    const values = new ProviderValues(clock);
    values.use(store);
    await values.keep('key', 'RCP_1');
    stored.set('key', 'RCP_2');
    clock.advance(DAY_MS - 1);
    expect(await values.read('key')).toBe('RCP_1');
    clock.advance(1);
    expect(await values.read('key')).toBe('RCP_2');
    stored.clear();
    expect(await values.read('key')).toBeNull();
  });

  it('is gone after a day where there is no store', async () => {
    const clock = new ManualClock(new Date('2026-11-20T12:00:00.000Z'));
    const values = new ProviderValues(clock);
    await values.keep('key', 'RCP_1');
    clock.advance(DAY_MS - 1);
    expect(await values.read('key')).toBe('RCP_1');
    clock.advance(1);
    expect(await values.read('key')).toBeNull();
  });
});
