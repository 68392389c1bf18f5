import { describe, expect, it } from '@jest/globals';

import { CURRENCIES, type Currencies } from '../currency/registry.js';
import { applyTerms } from './terms.js';
import { termsDigest } from './terms-digest.js';
import { ownVelocityLimits, velocityLimitsIn, velocityText, windowEnd } from './velocity-limits.js';

type Row = Readonly<Record<string, unknown>>;
const applied = (rows: readonly Row[], base: Currencies = CURRENCIES) => applyTerms(base, { velocity_limits: rows });
function termsOf(rows: readonly Row[], base?: Currencies): Currencies {
  const terms = applied(rows, base);
  if (!terms.ok) throw new Error(terms.error);
  return terms.value;
}
const ROW = { per: 'partner', currency: 'KES', window: 'day', amount: '5000000' };

describe('velocity limits', () => {
  it('are of the wallet that pays, none by default', () => {
    const terms = termsOf([
      { ...ROW, count: 2_000 },
      { per: 'recipient', currency: 'CDF', paid_in: 'USD', window: 'hour', amount: '400.50' },
    ]);
    expect(velocityLimitsIn(terms, 'KES')).toEqual([
      { per: 'partner', window: 'day', maxMinor: 5_000_000_00n, maxCount: 2_000 },
    ]);
    expect(velocityLimitsIn(terms, 'USD')).toEqual([
      { per: 'recipient', window: 'hour', maxMinor: 400_50n, maxCount: null },
    ]);
    for (const none of ['CDF', 'UGX', 'NGN']) expect(velocityLimitsIn(terms, none)).toEqual([]);
    expect(velocityLimitsIn(CURRENCIES, 'KES')).toEqual([]);
  });

  it('are merged in the order of their rows: absent keeps, null takes away', () => {
    const terms = termsOf([ROW, { ...ROW, amount: undefined, count: 9 }]);
    expect(velocityLimitsIn(terms, 'KES')).toEqual([
      { per: 'partner', window: 'day', maxMinor: 5_000_000_00n, maxCount: 9 },
    ]);
    const less = termsOf([{ ...ROW, amount: null }], terms);
    expect(velocityLimitsIn(less, 'KES')).toEqual([{ per: 'partner', window: 'day', maxMinor: null, maxCount: 9 }]);
    expect(velocityLimitsIn(termsOf([{ ...ROW, amount: null, count: null }], less), 'KES')).toEqual([]);
  });

  it('come in the order in which they open last', () => {
    const all = ['hour', 'day'].flatMap((window) =>
      ['recipient', 'key', 'partner'].map((per) => ({ ...ROW, per, window })),
    );
    expect(velocityLimitsIn(termsOf(all), 'KES').map(({ per, window }) => `${window} ${per}`)).toEqual([
      'day partner', 'day key', 'day recipient', 'hour partner', 'hour key', 'hour recipient',
    ]); // prettier-ignore
  });

  it.each([
    ['neither amount nor count', { amount: undefined }, 'amount or count must be there'],
    ['nothing', { amount: '0' }, 'amount must be above 0'],
    ['more decimals than the wallet has', { currency: 'UGX', amount: '0.5' }, 'amount must be a whole number'],
    ['a sum that nobody can write', { amount: '9'.repeat(28) }, 'amount must have at most 27 digits'],
    ['a wallet that does not pay there', { paid_in: 'USD' }, 'payouts in KES are not made from USD'],
  ])('refuse %s, and name the row', (_, more, message) => {
    expect(applied([ROW, { ...ROW, ...more }])).toEqual({ ok: false, error: `velocity_limits.1: ${message}` });
  });

  it.each([{ count: 0 }, { count: 1.5 }, { per: 'country' }, { window: 'week' }, { more: 1 }])('refuse %j', (more) => {
    expect(applied([{ ...ROW, ...more }])).toMatchObject({
      ok: false,
      error: expect.stringContaining('velocity_limits'),
    });
  });

  it('of a partner are its own where a row is, also where it takes all away', () => {
    const base = termsOf([ROW]);
    const of = { currency: 'KES', paidIn: 'KES' } as const;
    expect(ownVelocityLimits(base, base, of)).toBeNull();
    expect(ownVelocityLimits(base, termsOf([{ ...ROW, count: 3 }], base), of)).toHaveLength(1);
    expect(ownVelocityLimits(base, termsOf([{ ...ROW, amount: null }], base), of)).toEqual([]);
    expect(ownVelocityLimits(base, termsOf([{ ...ROW, currency: 'UGX' }], base), of)).toBeNull();
  });

  it('count in the digest of terms', () => {
    const digests = [
      CURRENCIES,
      termsOf([ROW]),
      termsOf([{ ...ROW, count: 3 }]),
      termsOf([{ ...ROW, window: 'hour' }]),
    ];
    expect(new Set(digests.map(termsDigest)).size).toBe(4);
  });

  it('are told in words', () => {
    const limit = { per: 'key', window: 'hour', maxMinor: 400_50n, maxCount: 1 } as const;
    expect(velocityText(limit, 'USD')).toBe('400.50 USD and 1 payout an hour for one API key');
    expect(velocityText({ ...limit, per: 'partner', window: 'day', maxMinor: null, maxCount: 20 }, 'KES')).toBe(
      '20 payouts a day for all your payouts',
    );
  });

  it('end with the hour and the day of UTC', () => {
    for (const now of ['2026-11-28T23:00:00.000Z', '2026-11-28T23:59:59.999Z'])
      for (const window of ['hour', 'day'] as const)
        expect(windowEnd(window, new Date(now)).toISOString()).toBe('2026-11-29T00:00:00.000Z');
    expect(windowEnd('hour', new Date('2026-11-28T12:10:00Z')).toISOString()).toBe('2026-11-28T13:00:00.000Z');
  });
});
