import { describe, expect, it } from '@jest/globals';

import { receiptOf } from './receipt.js';

describe('receiptOf', () => {
  it('is SBX and ten base 32 symbols, the same for the same payout', () => {
    expect(receiptOf(1)).toMatch(/^SBX[0-9A-HJKMNP-TV-Z]{10}$/);
    expect(receiptOf(1)).toBe(receiptOf(1));
  });

  it('never gives one receipt to two payouts', () => {
    const count = 50_000;
    expect(new Set(Array.from({ length: count }, (_, i) => receiptOf(i + 1))).size).toBe(count);
  });
});
