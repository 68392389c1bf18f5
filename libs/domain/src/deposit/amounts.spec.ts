import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { currencyDecimals, WALLET_CURRENCIES } from '../currency/registry.js';
import { convertFloor, formatDecimal, parseDecimal } from '../money/money.js';
import {
  amountInUsd,
  assetAmountDue,
  centsDue,
  centsOf,
  isWithinTolerance,
  leastRefund,
  shortfallOfOurs,
  shortfallTolerated,
  tokenRate,
} from './amounts.js';

const SIX = { decimals: 6 };
const EIGHTEEN = { decimals: 18 };

describe('assetAmountDue', () => {
  it.each([
    [100_00n, '129.35', 'KES', SIX, 773_097n],
    [129_35n, '129.35', 'KES', SIX, 1_000_000n],
    [129_35n, '129.35', 'KES', EIGHTEEN, 10n ** 18n],
    [1n, '129.35', 'KES', SIX, 78n],
    [3_700n, '3700', 'UGX', SIX, 1_000_000n],
    [3_701n, '3700', 'UGX', SIX, 1_000_271n],
    [1_00n, '1', 'USD', { decimals: 7 }, 10_000_000n],
    [100n, '0.000000000000000001', 'KES', SIX, 10n ** 24n],
  ])('%d at %s %s: %j', (amountMinor, rate, currency, token, due) => {
    expect(assetAmountDue(amountMinor, rate, currency, token)).toBe(due);
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
          const due = assetAmountDue(amountMinor, text, code, { decimals });
          const exact = tokenRate(text, code, { decimals });
          expect(convertFloor(due, exact)).toBeGreaterThanOrEqual(amountMinor);
          expect(convertFloor(due - 1n, exact)).toBeLessThan(amountMinor);
        },
      ),
    );
  });

  it('is no less with more decimals, and no more than a minor unit apart', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 12n), rate, currency, (amountMinor, text, code) => {
        const [six, eighteen] = [
          assetAmountDue(amountMinor, text, code, SIX),
          assetAmountDue(amountMinor, text, code, EIGHTEEN),
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
    expect(amountInUsd(amountMinor, rate, currency)).toBe(halfUp);
    expect(amountInUsd(amountMinor, rate, currency, 'half-up')).toBe(halfUp);
    expect(amountInUsd(amountMinor, rate, currency, 'up')).toBe(up);
    expect(formatDecimal(centsDue(amountMinor, rate, currency), 2)).toBe(up);
  });

  it('rounds half up: never more than half a cent away', () => {
    fc.assert(
      fc.property(
        fc.bigInt(0n, 10n ** 12n),
        fc.bigInt(1n, 10n ** 22n),
        fc.constantFrom(...WALLET_CURRENCIES),
        (amountMinor, scaled, currency) => {
          const cents = parseDecimal(amountInUsd(amountMinor, formatDecimal(scaled, 18), currency), 2);
          // amount / 10^decimals / (scaled / 10^18) dollars, times 200, against twice the cents.
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
    [10n ** 8n, { decimals: 7 }, 10_00n],
  ])('%d units of %j are %d cents, rounded up', (receivedMinor, token, cents) => {
    expect(centsOf(receivedMinor, token)).toBe(cents);
  });
});

describe('leastRefund', () => {
  it.each([
    [500n, SIX, 5_000_000n],
    [10n, SIX, 100_000n],
    [10n, EIGHTEEN, 10n ** 17n],
    [1n, { decimals: 7 }, 100_000n],
    [1n, { decimals: 1 }, 1n],
  ])('of %d cents in %j is %d', (leastRefundCents, token, least) => {
    expect(leastRefund({ leastRefundCents }, token)).toBe(least);
    expect(centsOf(least, token)).toBeGreaterThanOrEqual(leastRefundCents);
  });
});

describe('shortfallTolerated', () => {
  it.each([
    // 0.1 % from 10 tokens on, 0.01 token from 1 on, and 1 % below.
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
    expect(shortfallTolerated(due, token)).toBe(tolerated);
    expect(isWithinTolerance(due - tolerated, due, token)).toBe(true);
    expect(isWithinTolerance(due - tolerated - 1n, due, token)).toBe(false);
  });

  it('is never more than 1 % of what is due, whatever is due', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 30n), fc.constantFrom(SIX, EIGHTEEN, { decimals: 7 }), (due, token) => {
        const tolerated = shortfallTolerated(due, token);
        expect(tolerated >= 0n && tolerated * 100n <= due).toBe(true);
        expect(tolerated * 1000n > due - 1000n || tolerated === due / 100n).toBe(true);
      }),
    );
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
    expect(shortfallOfOurs(worthMinor, { amountMinor: 500_00n, markupMinor })).toBe(ours);
  });
});
