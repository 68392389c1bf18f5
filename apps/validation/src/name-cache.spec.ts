import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { KnownName } from './ask-providers.js';
import { MemoryNameCache } from './name-cache.js';

const MARY: KnownName = { outcome: 'found', name: 'Mary Wanjiku' };
const NOBODY: KnownName = { outcome: 'not_found' };

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
});

describe('the cache of names', () => {
  it('keeps a name for its time and not a millisecond longer', async () => {
    const cache = new MemoryNameCache(clock);
    await cache.put('a', MARY, 60_000);
    await cache.put('b', NOBODY, 10_000);
    clock.advance(9_999);
    expect([await cache.get('a'), await cache.get('b'), await cache.get('c')]).toEqual([MARY, NOBODY, null]);
    clock.advance(1);
    expect([await cache.get('a'), await cache.get('b')]).toEqual([MARY, null]);
    clock.advance(49_999);
    expect(await cache.get('a')).toEqual(MARY);
    clock.advance(1);
    expect(await cache.get('a')).toBeNull();
  });

  it('keeps the last name', async () => {
    const cache = new MemoryNameCache(clock);
    await cache.put('a', NOBODY, 10_000);
    clock.advance(5_000);
    await cache.put('a', MARY, 10_000);
    clock.advance(9_000);
    expect(await cache.get('a')).toEqual(MARY);
  });

  it('never exceeds its limit: the oldest is dropped, and a repeated key counts as new', async () => {
    const cache = new MemoryNameCache(clock);
    cache.maxEntries = 3;
    for (const key of ['a', 'b', 'c', 'a', 'd']) await cache.put(key, MARY, 60_000);
    expect(cache.size).toBe(3);
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get(key)))).toEqual([MARY, null, MARY, MARY]);
    for (let key = 0; key < 20_000; key += 1) await cache.put(String(key), NOBODY, 10_000);
    expect(cache.size).toBe(3);
  });

  it('frees expired names', async () => {
    const cache = new MemoryNameCache(clock);
    await Promise.all([cache.put('a', MARY, 60_000), cache.put('b', NOBODY, 10_000)]);
    clock.advance(10_000);
    await cache.put('c', MARY, 60_000);
    expect(cache.size).toBe(2);
    clock.advance(60_000);
    await cache.put('d', MARY, 60_000);
    expect(cache.size).toBe(1);
  });

  it('keeps nothing longer if the clock is changed', async () => {
    const setBy = (ms: number): void => clock.set(new Date(clock.now().getTime() + ms));
    const cache = new MemoryNameCache(clock);
    await cache.put('a', MARY, 60_000);
    setBy(-3_600_000);
    expect(await cache.get('a')).toBeNull();
    clock.advance(3_600_000);
    expect(await cache.get('a')).toBeNull();
    await cache.put('b', MARY, 60_000);
    expect(cache.size).toBe(1);
    setBy(60_000);
    expect(await cache.get('b')).toBeNull();
  });

  it('is also swept after the clock was set back', async () => {
    const cache = new MemoryNameCache(clock);
    await cache.put('a', MARY, 60_000);
    clock.set(new Date('2026-11-20T10:00:00Z'));
    await cache.put('b', MARY, 60_000);
    expect(cache.size).toBe(1);
    clock.advance(60_000);
    await cache.put('c', MARY, 60_000);
    expect(cache.size).toBe(1);
  });
});
