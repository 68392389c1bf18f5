import { describe, expect, it } from '@jest/globals';

import { ManualClock, systemClock } from './clock.js';

describe('the time that has passed', () => {
  it('is given in whole milliseconds, and never goes back', () => {
    let last = systemClock.monotonicMs();
    for (let i = 0; i < 10_000; i++) {
      const now = systemClock.monotonicMs();
      expect(Number.isInteger(now)).toBe(true);
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  it('of a manual clock is what was let pass, wherever the time of day was set', () => {
    const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
    clock.advance(5);
    clock.set(new Date('2027-01-01T00:00:00Z'));
    clock.advance(-3_600_000);
    clock.advance(2);
    expect([clock.monotonicMs(), clock.now().toISOString()]).toEqual([7, '2026-12-31T23:00:00.002Z']);
  });
});
