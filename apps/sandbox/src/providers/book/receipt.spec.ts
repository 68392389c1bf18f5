import { describe, expect, it } from '@jest/globals';

import { receiptOf } from './receipt.js';

describe('receiptOf', () => {
  it('is SBX and ten base 32 symbols, the same for the same number', () => {
    expect(receiptOf(1, 'SBX')).toMatch(/^SBX[0-9A-HJKMNP-TV-Z]{10}$/);
    expect(receiptOf(1, 'SBX')).toBe(receiptOf(1, 'SBX'));
  });

  it('never gives one receipt to two payments', () => {
    const count = 50_000;
    expect(new Set(Array.from({ length: count }, (_, i) => receiptOf(i + 1, 'SBX'))).size).toBe(count);
  });
});
