import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { LedgerClock } from './ledger-clock.js';

describe('when ledgers close', () => {
  it('is by a pace, at once, or not at all', () => {
    const clock = new LedgerClock();
    clock.add({ from: 1, fromMs: 1_000, paceMs: 5_000 });
    expect([999, 1_000, 5_999, 6_000, 26_000].map((now) => clock.latestAt(now))).toEqual([0, 1, 1, 2, 6]);
    clock.add({ from: 7, fromMs: 27_000, paceMs: 0 });
    clock.add({ from: 10, fromMs: 32_000, paceMs: 5_000 });
    expect([27_000, 31_999, 32_000].map((now) => clock.latestAt(now))).toEqual([9, 9, 10]);
    expect([1, 6, 7, 9, 10, 11].map((ledger) => clock.timeOf(ledger))).toEqual([
      1_000, 26_000, 27_000, 27_000, 32_000, 37_000,
    ]);
    clock.add({ from: 11, fromMs: 0, paceMs: null });
    expect(clock.latestAt(1_000_000)).toBe(10);
    expect([0, 10, 11].map((ledger) => clock.timeOf(ledger))).toEqual([undefined, 32_000, undefined]);
  });

  it('never is ahead of time, and never changes', () => {
    const step = fc.record({
      passMs: fc.nat(20_000),
      what: fc.constantFrom('nothing', 'now', 'stall', 'go on'),
      ledgers: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const clock = new LedgerClock();
        clock.add({ from: 1, fromMs: 0, paceMs: 5_000 });
        const known = new Map<number, number>();
        let now = 0;
        let latest = 0;
        for (const { passMs, what, ledgers } of steps) {
          now += passMs;
          const next = clock.latestAt(now) + 1;
          if (what === 'now') clock.add({ from: next, fromMs: now, paceMs: 0 });
          if (what !== 'nothing')
            clock.add({
              from: what === 'now' ? next + ledgers : next,
              fromMs: now + 5_000,
              paceMs: what === 'stall' ? null : 5_000,
            });
          expect(clock.latestAt(now)).toBeGreaterThanOrEqual(latest);
          latest = clock.latestAt(now);
          for (const [ledger, atMs] of known) expect(clock.timeOf(ledger)).toBe(atMs);
          for (let ledger = 1; ledger <= latest; ledger += 1) {
            const atMs = clock.timeOf(ledger)!;
            expect(atMs).toBeLessThanOrEqual(now);
            expect(atMs).toBeGreaterThanOrEqual(clock.timeOf(ledger - 1) ?? 0);
            known.set(ledger, atMs);
          }
        }
      }),
    );
  });
});
