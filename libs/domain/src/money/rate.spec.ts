import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { money, type Money } from './money.js';
import { convertFloor, parseRate, type Unit } from './rate.js';

const tokenOf = (decimals: number): Unit => ({ currency: 'USDC@BNB', decimals });
const SHILLING: Unit = { currency: 'KES', decimals: 2 };
const usdc = (minor: bigint): Money => money(minor, 'USDC@BNB');
const kes = (minor: bigint): Money => money(minor, 'KES');

describe('rates', () => {
  it('are exact ratios of minor units, and fiat is floored', () => {
    const rate = parseRate('129.35', tokenOf(6), SHILLING);
    if (!rate.ok) throw new Error(rate.error);
    expect(convertFloor(usdc(3_900_000n), rate.value)).toEqual(kes(504_46n));
    expect(convertFloor(usdc(1n), rate.value)).toEqual(kes(0n));
  });

  it('carry 18-decimal tokens without losing a unit', () => {
    const rate = parseRate('1', tokenOf(18), SHILLING);
    if (!rate.ok) throw new Error(rate.error);
    expect(convertFloor(usdc(123_456_789_012_345_678_901_234_567n), rate.value)).toEqual(kes(12_345_678_901n));
  });

  it('are refused at 0 and beyond their decimals', () => {
    expect(parseRate('0.00', tokenOf(6), SHILLING).ok).toBe(false);
    expect(parseRate('1.0000000000000000001', tokenOf(6), SHILLING).ok).toBe(false);
    expect(() => convertFloor(usdc(1n), { to: kes(0n), from: usdc(1n) })).toThrow(RangeError);
    expect(() => convertFloor(usdc(-1n), { to: kes(1n), from: usdc(1n) })).toThrow(RangeError);
  });

  it('never give more than the exact value, and less than one minor unit is lost', () => {
    const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
    fc.assert(
      fc.property(positive, positive, positive, (token, toMinor, fromMinor) => {
        const { minor: fiat } = convertFloor(usdc(token), { to: kes(toMinor), from: usdc(fromMinor) });
        expect(fiat * fromMinor <= token * toMinor).toBe(true);
        expect((fiat + 1n) * fromMinor > token * toMinor).toBe(true);
      }),
    );
  });

  it('are of one token', () => {
    const rate = { to: kes(1n), from: usdc(1n) };
    expect(() => convertFloor(money(1n, 'USDT@BNB'), rate)).toThrow('a rate from USDC@BNB is asked about USDT@BNB');
  });
});
