import { describe, expect, it } from '@jest/globals';

import { CURRENCIES } from '../currency/registry.js';
import { objectSchema } from './field-rules.js';
import { parseQuote, quoteFields } from './quote-request.js';
import { ALL_CURRENCIES, refusalOf as refusalIn, valueOf } from './requests.spec-support.js';
import { money } from '../money/money.js';

const { KES, UGX, CDF } = CURRENCIES;
const refusalOf = (fields: object, currency = KES): ReturnType<typeof refusalIn> =>
  refusalIn(parseQuote(currency, { ...fields }));

describe('parseQuote', () => {
  it('answers what the quote is for, in canonical names', () => {
    expect(valueOf(parseQuote(KES, { amount: '1500.50', chain: 'base', asset: 'USDC' }))).toEqual({
      amount: money(150_050n, 'KES'),
      chain: 'BASE',
      asset: 'USDC',
    });
    expect(valueOf(parseQuote(UGX, { amount: '500', asset: 'USDC', fee: '7' }))).toEqual({
      amount: money(500n, 'UGX'),
      chain: 'CELO',
      asset: 'USDC',
    });
  });

  it('means the wallet that is named, where there is a choice', () => {
    expect(valueOf(parseQuote(CDF, { amount: '500', asset: 'USDC' }))).toMatchObject({ amount: { currency: 'CDF' } });
    expect(valueOf(parseQuote(CDF, { amount: '400', asset: 'USDC', currency: 'usd' }))).toMatchObject({
      amount: money(40_000n, 'USD'),
    });
    expect(refusalOf({ amount: '401', asset: 'USDC', currency: 'USD' }, CDF)).toMatchObject({
      code: 'amount_out_of_range',
      pointers: ['/amount'],
    });
    expect(refusalOf({ amount: '500', asset: 'USDC', currency: 'KES' }, CDF)).toMatchObject({
      code: 'unsupported_currency',
      pointers: ['/currency'],
    });
    expect(valueOf(parseQuote(KES, { amount: '500', asset: 'USDC', currency: 'USD' }))).toMatchObject({
      amount: { currency: 'KES' },
    });
  });

  it.each(ALL_CURRENCIES.map((currency) => [currency.code, currency] as const))(
    'takes in %s the least and the most that anybody is paid',
    (_, currency) => {
      for (const { currency: paidIn, destinations } of currency.payouts) {
        const whole = (minor: bigint): string => (paidIn === 'UGX' ? minor : minor / 100n).toString();
        const [least] = destinations.map(({ limits }) => limits.minMinor).sort((a, b) => (a < b ? -1 : 1));
        const [most] = destinations.map(({ limits }) => limits.maxMinor).sort((a, b) => (a > b ? -1 : 1));
        const body = { asset: 'USDC', currency: paidIn };
        for (const minor of [least ?? 0n, most ?? 0n])
          expect(valueOf(parseQuote(currency, { ...body, amount: whole(minor) }))).toMatchObject({
            amount: money(minor, paidIn),
          });
        expect(refusalOf({ ...body, amount: (BigInt(whole(least ?? 0n)) - 1n).toString() }, currency).message).toMatch(
          /^The amount field must be at least \d+$/,
        );
        expect(refusalOf({ ...body, amount: (BigInt(whole(most ?? 0n)) + 1n).toString() }, currency).message).toMatch(
          /^amount must be at most /,
        );
      }
    },
  );

  it('names every fault', () => {
    expect(refusalOf({})).toEqual({
      code: 'invalid_request',
      message: 'amount is required',
      pointers: ['/amount', '/asset'],
    });
    expect(refusalOf({ amount: '100', chain: 'TRON', asset: 5 })).toMatchObject({
      code: 'unsupported_network',
      pointers: ['/chain', '/asset'],
    });
    expect(refusalOf({ amount: '100', asset: 'usdc' })).toMatchObject({
      code: 'unsupported_network',
      pointers: ['/asset'],
    });
    expect(refusalOf({ amount: '1e3', asset: 'USDC' }).pointers).toEqual(['/amount']);
  });

  it('says in its schema which fields there are', () => {
    expect(objectSchema(quoteFields(KES, KES.payouts[0]))).toMatchObject({ required: ['amount', 'asset'] });
    expect(Object.keys(quoteFields(KES, KES.payouts[0]))).toEqual(['amount', 'chain', 'asset']);
    expect(Object.keys(quoteFields(CDF, CDF.payouts[0]))).toEqual(['amount', 'chain', 'asset', 'currency']);
  });
});
