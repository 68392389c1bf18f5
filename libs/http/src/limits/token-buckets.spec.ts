import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';
import fc from 'fast-check';

import { MemoryBuckets, TokenBuckets, type RatePolicy, type Taken } from './token-buckets.js';

const POLICY: RatePolicy = { name: 'partner', ratePerS: 100, burst: 500 };
const start = new Date('2026-01-01T00:00:00Z');

function setUp(maxKeys?: number) {
  const clock = new ManualClock(start);
  const store = new MemoryBuckets(maxKeys);
  const buckets = new TokenBuckets(clock, store);
  return { clock, store, buckets, take: (key: string, policy = POLICY): Taken => buckets.take(key, policy) as Taken };
}

const policies: fc.Arbitrary<RatePolicy> = fc.record({
  name: fc.constant('any'),
  ratePerS: fc.oneof(
    fc.integer({ min: 1, max: 5_000 }),
    fc.integer({ min: 1, max: 999 }).map((milli) => milli / 1_000),
  ),
  burst: fc.integer({ min: 1, max: 40 }),
});
const steps = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    waitMs: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(20_000)),
  }),
  { maxLength: 300 },
);

describe('token buckets', () => {
  it('allow the burst at once, and say what is left', () => {
    const { take } = setUp();
    expect(take('p1')).toEqual({ allowed: true, remaining: 499, resetS: 1, retryAfterS: 0 });
    for (let i = 2; i < 500; i++) take('p1');
    expect(take('p1')).toEqual({ allowed: true, remaining: 0, resetS: 5, retryAfterS: 0 });
    expect(take('p1')).toEqual({ allowed: false, remaining: 0, resetS: 5, retryAfterS: 1 });
  });

  it('give back at the rate, and consume nothing by refusing', () => {
    const { clock, take } = setUp();
    for (let i = 0; i < 2_000; i++) take('p1');
    clock.advance(9);
    expect(take('p1').allowed).toBe(false);
    clock.advance(1);
    expect([take('p1').allowed, take('p1').allowed]).toEqual([true, false]);
    clock.advance(5_000);
    expect(take('p1').remaining).toBe(499);
  });

  it('take a token back that was taken for nothing, and never hold more than the burst', async () => {
    const { buckets, take } = setUp();
    const one = { name: 'failed-auth', ratePerS: 0.001, burst: 1 };
    await buckets.giveBack('p1', one);
    expect([take('p1', one).allowed, take('p1', one).allowed]).toEqual([true, false]);
    await buckets.giveBack('p1', one);
    await buckets.giveBack('p1', one);
    expect([take('p1', one).allowed, take('p1', one).allowed]).toEqual([true, false]);
  });

  it('ask the store about a flood four times a second, and let through what the rate allows', async () => {
    const { clock, store, buckets } = setUp();
    const policy = { name: 'failed-auth', ratePerS: 10, burst: 5 };
    let asked = 0;
    const take = store.take.bind(store);
    store.take = (...args) => {
      asked += 1;
      return take(...args);
    };
    let allowed = 0;
    for (let ms = 0; ms < 10_000; ms++) {
      if ((await buckets.takeInFlood('192.0.2.1', policy)).allowed) allowed += 1;
      clock.advance(1);
    }
    expect(allowed).toBeGreaterThan(90);
    expect(allowed).toBeLessThanOrEqual(105);
    expect(asked).toBeLessThan(allowed + 50);
    expect((await buckets.takeInFlood('192.0.2.2', policy)).allowed).toBe(true);
  });

  it('count each key and each policy for itself', () => {
    const { take } = setUp();
    const one = { name: 'lookups', ratePerS: 0.05, burst: 1 };
    expect([take('p1', one), take('p1', one), take('p2', one), take('p1')]).toMatchObject([
      { allowed: true },
      { allowed: false, retryAfterS: 20 },
      { allowed: true },
      { allowed: true, remaining: 499 },
    ]);
  });

  it('give nothing and take nothing where the time of day is set, however often', () => {
    const { clock, take } = setUp();
    const setBy = (ms: number): void => clock.set(new Date(clock.now().getTime() + ms));
    for (let i = 0; i < 500; i++) take('p1');
    for (let i = 0; i < 100; i++) {
      setBy(-3_600_000);
      expect(take('p1').allowed).toBe(false);
      setBy(3_600_000);
      expect(take('p1').allowed).toBe(false);
    }
    setBy(-3_600_000);
    clock.advance(10);
    expect([take('p1').allowed, take('p1').allowed]).toEqual([true, false]);
  });

  it('never allow one key more than burst + rate·t in any stretch of time, however few places there are', () => {
    fc.assert(
      fc.property(policies, steps, fc.integer({ min: 1, max: 6 }), (policy, asked, maxKeys) => {
        const { clock, store, take } = setUp(maxKeys);
        const allowedAt: Record<string, number[]> = {};
        for (const { key, waitMs } of asked) {
          clock.advance(waitMs);
          if (take(key, policy).allowed) (allowedAt[key] ??= []).push(clock.monotonicMs());
        }
        expect(store.size).toBeLessThanOrEqual(maxKeys);
        for (const times of Object.values(allowedAt)) {
          for (let from = 0; from < times.length; from++) {
            for (let to = from; to < times.length; to++) {
              const ms = (times[to] ?? 0) - (times[from] ?? 0);
              // Integers, so that the bound is exact.
              if ((to - from + 1) * 1_000_000 > policy.burst * 1_000_000 + ms * Math.round(policy.ratePerS * 1_000)) {
                throw new Error(`${String(to - from + 1)} allowed in ${String(ms)} ms`);
              }
            }
          }
        }
      }),
    );
  });

  it('allow one where it was told to come back, and are full when they said; a key alone loses nothing', () => {
    fc.assert(
      fc.property(policies, steps, (policy, asked) => {
        const { clock, take } = setUp();
        for (const { waitMs } of asked) {
          clock.advance(waitMs);
          const taken = take('a', policy);
          expect(taken.allowed || taken.retryAfterS >= 1).toBe(true);
          expect(taken.resetS).toBeGreaterThanOrEqual(taken.retryAfterS);
          if (taken.allowed) continue;
          clock.advance(taken.retryAfterS * 1_000);
          expect(take('a', policy).allowed).toBe(true);
        }
        clock.advance(take('a', policy).resetS * 1_000);
        expect(take('a', policy).remaining).toBe(policy.burst - 1);
      }),
    );
  });

  it('give many keys no more tokens than their own and one shared bucket', () => {
    const { clock, store, take } = setUp(100);
    const policy = { name: 'failed', ratePerS: 1, burst: 10 };
    let allowed = 0;
    for (let round = 0; round < 20; round++) {
      for (let key = 0; key < 1_000; key++) if (take(`address ${String(key)}`, policy).allowed) allowed++;
    }
    // 100 own buckets and the shared one.
    expect(allowed).toBe(101 * 10);
    expect(store.size).toBe(100);
    clock.advance(10_000);
    expect(take('address 999', policy)).toMatchObject({ allowed: true, remaining: 9 });
  });

  it('keep no bucket that is full again for long', () => {
    const { clock, store, take } = setUp();
    for (let key = 0; key < 10_000; key++) {
      take(`address ${String(key)}`);
      clock.advance(10);
    }
    expect(store.size).toBeLessThan(10);
  });
});
