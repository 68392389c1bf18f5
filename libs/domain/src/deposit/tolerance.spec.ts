import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { money, type Money } from '../money/money.js';
import { coverageOf, shortfallTolerated } from './tolerance.js';

const SIX = { decimals: 6 };
const EIGHTEEN = { decimals: 18 };
const usdc = (minor: bigint): Money => money(minor, 'USDC@BNB');

describe('shortfallTolerated', () => {
  it.each([
    // 0.1 % from 10 tokens, 0.01 token from 1, else 1 %.
    [10_000_000n, SIX, 10_000n],
    [10_000_999n, SIX, 10_000n],
    [10_001_000n, SIX, 10_001n],
    [1_000_000_000n, SIX, 1_000_000n],
    [1_000_000n, SIX, 10_000n],
    [999_999n, SIX, 9_999n],
    [154_618n, SIX, 1_546n],
    [100n, SIX, 1n],
    [99n, SIX, 0n],
    [1n, SIX, 0n],
    [0n, SIX, 0n],
    [10n ** 19n, EIGHTEEN, 10n ** 16n],
    [10n ** 19n + 999n, EIGHTEEN, 10n ** 16n],
    [10n ** 19n + 1_000n, EIGHTEEN, 10n ** 16n + 1n],
    [10n ** 18n - 1n, EIGHTEEN, 10n ** 16n - 1n],
    [5_000_000n, { decimals: 7 }, 50_000n],
  ])('of %d due in %j: %d', (due, token, tolerated) => {
    expect(shortfallTolerated(usdc(due), token)).toEqual(usdc(tolerated));
    expect(coverageOf(usdc(due - tolerated), usdc(due), token).verdict).toBe('covered');
    expect(coverageOf(usdc(due - tolerated - 1n), usdc(due), token).verdict).toBe('short');
  });

  it('is never more than 1 % of what is due, whatever is due', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.constantFrom(SIX, EIGHTEEN, { decimals: 7 }), (due, token) => {
        const { minor: tolerated } = shortfallTolerated(usdc(due), token);
        expect(tolerated >= 0n && tolerated * 100n <= due).toBe(true);
        expect(tolerated * 1000n > due - 1000n || tolerated === due / 100n).toBe(true);
      }),
    );
  });
});

describe('coverageOf', () => {
  it('has a surplus from one unit beyond what is due and the tolerance once more', () => {
    const due = usdc(10_000_000n);
    expect(coverageOf(usdc(10_010_000n), due, SIX)).toEqual({ verdict: 'covered', surplus: usdc(0n) });
    expect(coverageOf(usdc(10_010_001n), due, SIX)).toEqual({ verdict: 'surplus', surplus: usdc(1n) });
    expect(coverageOf(usdc(0n), due, SIX)).toEqual({ verdict: 'short', surplus: usdc(0n) });
  });

  it('is asked of one token', () => {
    expect(() => coverageOf(money(1n, 'USDT@BNB'), usdc(1n), SIX)).toThrow(TypeError);
  });
});
