import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { decodeBase58, encodeBase58 } from './base58.js';

describe('base58', () => {
  it('comes back as it was, leading zeros too', () => {
    const bytes = fc
      .tuple(fc.uint8Array({ maxLength: 80 }), fc.nat(4))
      .map(([all, zeros]) => Uint8Array.from([...new Uint8Array(zeros), ...all]));
    fc.assert(fc.property(bytes, (one) => expect([...decodeBase58(encodeBase58(one))!]).toEqual([...one])));
  });

  it.each([
    ['', ''],
    ['00', '1'],
    ['61', '2g'],
    ['626262', 'a3gV'],
    ['0000287fb4cd', '11233QC4'],
    ['516b6fcd0f', 'ABnLTmg'],
  ])('writes %s as %s', (hex, text) => {
    expect(encodeBase58(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it.each(['0', 'O', 'I', 'l', ' 2g', '2g\n', '1'.repeat(1_000_000)])('is not %#', (text) => {
    expect(decodeBase58(text)).toBeNull();
  });
});
