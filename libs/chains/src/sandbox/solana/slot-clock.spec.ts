import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { SlotClock } from './slot-clock.js';

const START = { slot: 1_000, atMs: 1_800_000_000_000 };

describe('the slots of a sandbox', () => {
  it('go on with the clock', () => {
    let now = START.atMs;
    const clock = new SlotClock([START], () => now);
    expect(clock.slot).toBe(1_000);
    now += 399;
    expect(clock.slot).toBe(1_000);
    now += 1;
    expect(clock.slot).toBe(1_001);
    expect(clock.timeOf(1_001)).toBe(START.atMs + 400);
  });

  it('never go back, never change the time of a slot, and are never later than the clock; a restart says the same', () => {
    const step = fc.oneof(
      fc.record({ passMs: fc.nat(3_000) }),
      fc.record({ ahead: fc.integer({ min: 1, max: 200 }) }),
      fc.constant({ toggle: true }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let now = START.atMs;
        const clock = new SlotClock([START], () => now);
        const kept: { anchor: typeof START; paused: boolean }[] = [];
        const told = new Map<number, number>();
        let newest = clock.slot;
        for (const one of steps) {
          if ('passMs' in one) now += one.passMs;
          else if ('ahead' in one) kept.push({ anchor: clock.advance(one.ahead), paused: clock.isPaused });
          else kept.push({ anchor: clock.isPaused ? clock.resume() : clock.pause(), paused: clock.isPaused });
          expect(clock.slot).toBeGreaterThanOrEqual(newest);
          newest = clock.slot;
          told.set(newest, clock.timeOf(newest));
          expect(clock.timeOf(newest)).toBeLessThanOrEqual(now);
          for (const [slot, atMs] of told) expect(clock.timeOf(slot)).toBe(atMs);
        }
        const again = new SlotClock([START], () => now);
        for (const { anchor, paused } of kept) again.restore(anchor, paused);
        expect([again.slot, again.isPaused]).toEqual([clock.slot, clock.isPaused]);
        for (const [slot, atMs] of told) expect(again.timeOf(slot)).toBe(atMs);
      }),
    );
  });
});
