import { describe, expect, it } from '@jest/globals';

import { recheckAfterMs } from './recheck-pace.js';

describe('recheckAfterMs', () => {
  it.each([
    [1_000, 0, 2_000],
    [12_000, 0, 12_000],
    [1_000, 60_000, 12_000],
    [1_000, 10 * 60_000, 60_000],
    [1_000, 3_600_000, 60_000],
    [1_000, 3_600_001, 300_000],
    [1_000, -5_000, 2_000],
  ])('of a block each %i ms, after %i ms: in %i ms', (blockMs, waitedMs, expected) =>
    expect(recheckAfterMs(blockMs, waitedMs)).toBe(expected),
  );
});
