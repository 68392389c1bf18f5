import { describe, expect, it } from '@jest/globals';
import { EVM_CHAINS } from '@vuka/domain';
import fc from 'fast-check';

import { nextCheckAfterMs } from './check-pace.js';

describe('the pace of looks', () => {
  it.each([
    [1_000, 0, 1_000],
    [250, 0, 1_000],
    [12_000, 0, 12_000],
    [1_000, 20_000, 5_000],
    [1_000, 3_600_000, 20_000],
    // The clock was set back.
    [1_000, -50_000, 1_000],
  ])('blocks of %i ms, %i ms waited: %i ms', (blockMs, waitedMs, expected) => {
    expect(nextCheckAfterMs(blockMs, waitedMs, false)).toBe(expected);
  });

  it.each([
    [60_000, 15_000],
    [1_200_000, 300_000],
    [10 ** 9, 300_000],
  ])('past the deadline, %i ms waited: %i ms', (waitedMs, expected) => {
    expect(nextCheckAfterMs(1_000, waitedMs, true)).toBe(expected);
  });

  it('is bounded, and never slows down by more than a quarter of what was waited', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVM_CHAINS), fc.integer({ min: 0, max: 10 ** 8 }), ({ blockMs }, waitedMs) => {
        const ms = nextCheckAfterMs(blockMs, waitedMs, false);
        expect(ms).toBeGreaterThanOrEqual(1_000);
        expect(ms).toBeLessThanOrEqual(20_000);
        expect(ms).toBeLessThanOrEqual(Math.max(1_000, blockMs, waitedMs / 4) + 1);
      }),
    );
  });
});
