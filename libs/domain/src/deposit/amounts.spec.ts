import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { currencyDecimals, WALLET_CURRENCIES } from '../currency/registry.js';
import { formatDecimal, parseDecimal } from '../money/decimal.js';
import { money, type Money } from '../money/money.js';
import { convertFloor, type Unit } from '../money/rate.js';
import { amountInUsd, assetAmountDue, centsDue, centsOf, leastRefund, shortfallOfOurs, tokenRate } from './amounts.js';

const tokenOf = (decimals: number): Unit => ({ currency: 'USDC@BNB', decimals });
const [SIX, EIGHTEEN] = [tokenOf(6), tokenOf(18)];
const usdc = (minor: bigint): Money => money(minor, 'USDC@BNB');
const kes = (minor: bigint): Money => money(minor, 'KES');

describe('assetAmountDue', () => {
  it.each([
    [100_00n, '129.35', 'KES', SIX, 773_097n],
    [129_35n, '129.35', 'KES', SIX, 1_000_000n],
    [129_35n, '129.35', 'KES', EIGHTEEN, 10n ** 18n],
    [1n, '129.35', 'KES', SIX, 78n],
    [3_700n, '3700', 'UGX', SIX, 1_000_000n],
    [3_701n, '3700', 'UGX', SIX, 1_000_271n],
    [1_00n, '1', 'USD', tokenOf(7), 10_000_000n],
    [100n, '0.000000000000000001', 'KES', SIX, 10n ** 24n],
  ])('%d at %s %s: %j', (amountMinor, rate, currency, token, due) => {
    expect(assetAmountDue(money(amountMinor, currency), rate, token)).toEqual(usdc(due));
  });

  const rate = fc.bigInt(1n, 10n ** 24n).map((scaled) => formatDecimal(scaled, 18));
  const currency = fc.constantFrom(...WALLET_CURRENCIES);

  it('is the least that is worth the amount', () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 12n),
        rate,
        currency,
        fc.constantFrom(6, 7, 18),
        (amountMinor, text, code, decimals) => {
          const { minor: due } = assetAmountDue(money(amountMinor, code), text, tokenOf(decimals));
          const exact = tokenRate(text, code, tokenOf(decimals));
          expect(convertFloor(usdc(due), exact).minor).toBeGreaterThanOrEqual(amountMinor);
          expect(convertFloor(usdc(due - 1n), exact).minor).toBeLessThan(amountMinor);
        },
      ),
    );
  });

  it('is no less with more decimals, and no more than a minor unit apart', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, currency, (amountMinor, text, code) => {
        const [six, eighteen] = [
          assetAmountDue(money(amountMinor, code), text, SIX).minor,
          assetAmountDue(money(amountMinor, code), text, EIGHTEEN).minor,
        ];
        const apart = six * 10n ** 12n - eighteen;
        expect(apart >= 0n && apart < 10n ** 12n).toBe(true);
      }),
    );
  });
});

describe('amounts in US dollars', () => {
  it.each([
    [129_35n, '129.35', 'KES', '1.00', '1.00'],
    [100_00n, '129.35', 'KES', '0.77', '0.78'],
    [1n, '129.35', 'KES', '0.00', '0.01'],
    [64_68n, '129.35', 'KES', '0.50', '0.51'],
    [1_00n, '8', 'KES', '0.13', '0.13'],
    [1_00n, '200', 'KES', '0.01', '0.01'],
    [99n, '200', 'KES', '0.00', '0.01'],
    [5_000_000n, '3700', 'UGX', '1351.35', '1351.36'],
    [400_00n, '1', 'USD', '400.00', '400.00'],
    [0n, '129.35', 'KES', '0.00', '0.00'],
  ])('%d at %s %s is %s, and %s to be paid', (amountMinor, rate, currency, halfUp, up) => {
    expect(amountInUsd(money(amountMinor, currency), rate)).toBe(halfUp);
    expect(amountInUsd(money(amountMinor, currency), rate, 'half-up')).toBe(halfUp);
    expect(amountInUsd(money(amountMinor, currency), rate, 'up')).toBe(up);
    expect(formatDecimal(centsDue(money(amountMinor, currency), rate), 2)).toBe(up);
  });

  it('rounds half up: never more than half a cent away', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 12n),
        fc.bigInt(1n, 10n ** 22n),
        fc.constantFrom(...WALLET_CURRENCIES),
        (amountMinor, scaled, currency) => {
          const cents = parseDecimal(amountInUsd(money(amountMinor, currency), formatDecimal(scaled, 18)), 2);
          const [dividend, divisor] = [
            amountMinor * 200n * 10n ** 18n,
            scaled * 10n ** BigInt(currencyDecimals(currency)),
          ];
          const twice = cents.ok ? 2n * cents.value : -1n;
          expect((twice - 1n) * divisor <= dividend && dividend < (twice + 1n) * divisor).toBe(true);
        },
      ),
    );
  });

  it.each([
    [0n, SIX, 0n],
    [1n, SIX, 1n],
    [10_000n, SIX, 1n],
    [10_001n, SIX, 2n],
    [100_000_000n, SIX, 100_00n],
    [100_000_001n, SIX, 100_01n],
    [1n, EIGHTEEN, 1n],
    [10n ** 20n, EIGHTEEN, 100_00n],
    [10n ** 20n + 1n, EIGHTEEN, 100_01n],
    [10n ** 8n, tokenOf(7), 10_00n],
  ])('%d units of %j are %d cents, rounded up', (receivedMinor, token, cents) => {
    expect(centsOf(usdc(receivedMinor), token)).toBe(cents);
  });
});

describe('leastRefund', () => {
  it.each([
    [500n, SIX, 5_000_000n],
    [10n, SIX, 100_000n],
    [10n, EIGHTEEN, 10n ** 17n],
    [1n, tokenOf(7), 100_000n],
    [1n, tokenOf(1), 1n],
  ])('of %d cents in %j is %d', (leastRefundCents, token, least) => {
    expect(leastRefund({ leastRefundCents }, token)).toEqual(usdc(least));
    expect(centsOf(usdc(least), token)).toBeGreaterThanOrEqual(leastRefundCents);
  });
});

describe('shortfallOfOurs', () => {
  it.each([
    ['covered', 500_00n, 0n, 0n],
    ['more than covered', 504_46n, 0n, 0n],
    ['short, no markup', 499_94n, 0n, 6n],
    ['short by less than the markup', 499_94n, 20_00n, 0n],
    ['short by the markup', 499_94n, 6n, 0n],
    ['short by more than the markup', 499_94n, 4n, 2n],
    ['a markup of nearly all', 495_00n, 499_99n, 0n],
  ])('%s', (_, worthMinor, markupMinor, ours) => {
    expect(shortfallOfOurs(kes(worthMinor), { amount: kes(500_00n), markup: kes(markupMinor) })).toEqual(kes(ours));
  });
});
