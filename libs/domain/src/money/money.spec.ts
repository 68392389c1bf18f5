import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  add,
  compare,
  decodeMoney,
  encodeMinor,
  isSame,
  lesser,
  money,
  subtract,
  sum,
  zero,
  type Money,
} from './money.js';

const kes = (minor: bigint): Money => money(minor, 'KES');
const minors = fc.bigInt({ min: -(10n ** 38n), max: 10n ** 38n });

describe('amounts', () => {
  it('of one currency are added, taken off and compared as their minor units are', () => {
    fc.assert(
      fc.property(minors, minors, (one, other) => {
        expect(add(kes(one), kes(other))).toEqual(kes(one + other));
        expect(subtract(kes(one), kes(other))).toEqual(kes(one - other));
        expect(compare(kes(one), kes(other))).toBe(one === other ? 0 : one < other ? -1 : 1);
        expect(lesser(kes(one), kes(other))).toEqual(kes(one < other ? one : other));
      }),
    );
  });

  it('of two currencies never meet', () => {
    const dollars = money(1n, 'USD');
    for (const meet of [add, subtract, compare, lesser])
      expect(() => meet(kes(1n), dollars)).toThrow('an amount of KES meets one of USD');
    expect(() => sum('KES', [kes(1n), dollars])).toThrow(TypeError);
    expect(() => compare(zero('USDC@BNB'), zero('USDC@BASE'))).toThrow(TypeError);
  });

  it('are the same where both are', () => {
    expect(isSame(kes(1n), kes(1n))).toBe(true);
    expect(isSame(kes(1n), kes(2n))).toBe(false);
    expect(isSame(kes(1n), money(1n, 'USD'))).toBe(false);
  });

  it('add up to nothing where there are none', () => {
    expect(sum('KES', [])).toEqual(kes(0n));
    expect(sum('KES', [kes(1n), kes(2n), kes(-4n)])).toEqual(kes(-1n));
  });
});

describe('an amount at an edge', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(minors, (minor) => {
        expect(decodeMoney(encodeMinor(kes(minor)), 'KES')).toEqual(kes(minor));
      }),
    );
  });

  it('is written beside its own currency only', () => {
    expect(encodeMinor(kes(150n), 'KES')).toBe('150');
    expect(() => encodeMinor(kes(150n), 'USD')).toThrow('an amount of KES is written beside USD');
  });

  it.each(['', ' 1', '1.0', '0x10', '1e3', '+1', '--1', 'null'])('is not read from %j', (text) => {
    expect(() => decodeMoney(text, 'KES')).toThrow(SyntaxError);
  });
});
