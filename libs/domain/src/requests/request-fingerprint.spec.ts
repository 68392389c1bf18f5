import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'lossless-json';

import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { requestFingerprint } from './request-fingerprint.js';
import { ALL_CURRENCIES, digestOf } from './requests.spec-support.js';

const { KES, NGN } = CURRENCIES;
const printOf = (json: string, currency: Currency = KES): string =>
  requestFingerprint(digestOf, 'bank_transfer', currency, parse(json) as Record<string, unknown>);
const base = printOf('{"amount":100,"account_number":"1234","bank_code":"01"}');

describe('requestFingerprint', () => {
  it('stays what it was: references live for ever', () => {
    expect(base).toBe('v1:HSYWEX2XhlQGFDdRTI3nC3lSsu1RFaCVMFtPfPf4xAI');
  });

  it.each([
    ['an amount written otherwise', '{"amount":"100.00","account_number":"1234","bank_code":"01"}'],
    ['another order', '{"bank_code":"01","account_number":"1234","amount":100.0}'],
    [
      'fields that are absent in other ways',
      '{"amount":100,"account_number":"1234","bank_code":"01","callback_url":"","reference":null}',
    ],
    ['fields nobody knows', '{"amount":100,"account_number":"1234","bank_code":"01","fee":1,"x":{"amount":2}}'],
  ])('is the same for %s', (_, json) => {
    expect(printOf(json)).toBe(base);
  });

  it.each([
    ['amount', '{"amount":101,"account_number":"1234","bank_code":"01"}'],
    ['account', '{"amount":100,"account_number":"01234","bank_code":"01"}'],
    ['bank code, alias and canonical: as sent', '{"amount":100,"account_number":"1234","bank_code":"522522"}'],
    ['callback URL', '{"amount":100,"account_number":"1234","bank_code":"01","callback_url":"https://x"}'],
    ['bank name', '{"amount":100,"account_number":"1234","bank_code":"01","bank_name":"KCB"}'],
  ])('differs by %s', (_, json) => {
    expect(printOf(json)).not.toBe(base);
  });

  it('knows the fields of each operation, and never takes one operation for another', () => {
    const body = parse('{"amount":100,"account_number":"1234","bank_code":"01"}') as Record<string, unknown>;
    const payout = (more: object): string => requestFingerprint(digestOf, 'disburse', KES, { ...body, ...more });
    expect(payout({})).toBe('v1:9nRETPK0R4YsMJzMBxuBqw5TlLZEmftcG_QHLfzVg2A');
    expect(payout({})).not.toBe(base);
    expect(payout({ transaction_hash: '0x1', chain: 'BASE', note: 1 })).toBe(payout({}));
    for (const field of ['account_name', 'fee', 'mobile_network', 'shortcode', 'type'])
      expect(payout({ [field]: '5' })).not.toBe(payout({}));
    expect(payout({ fee: '5.00' })).toBe(payout({ fee: '5' }));
  });

  it('knows of a pay what disburse knows, and its deposit', () => {
    const pay = (more: object): string =>
      requestFingerprint(digestOf, 'pay', KES, { amount: '100', transaction_hash: '0x1', ...more });
    expect(pay({})).toBe('v1:-QZgphfkqyzJgVDcDWb3ZhwbZqSg8zuow-gkfCddtx4');
    for (const field of [
      'account_name',
      'asset',
      'chain',
      'fee',
      'quote_id',
      'refund_address',
      'transaction_hash',
      'type',
    ])
      expect(pay({ [field]: '5' })).not.toBe(pay({}));
    expect(pay({ amount: '100.00', currency: 'USD', note: 1, quote_id: '', chain: null })).toBe(pay({}));
    // Two spellings are two requests; the second is refused because the first has the claim.
    expect(pay({ transaction_hash: '0X1' })).not.toBe(pay({}));
  });

  it.each(ALL_CURRENCIES.map((currency) => [currency.code, currency] as const))(
    'counts `currency` in %s only where it chooses a wallet',
    (_, currency) => {
      const payout = (more: object): string =>
        requestFingerprint(digestOf, 'disburse', currency, { amount: '100', ...more });
      const counts = payout({ currency: 'USD' }) !== payout({});
      expect(counts).toBe(currency.payouts.length > 1);
      expect(payout({ currency: null })).toBe(payout({}));
      // As sent: an explicit default is not an absent one.
      expect(payout({ currency: currency.code }) === payout({})).toBe(!counts);
    },
  );

  it('stays what it was where payouts leave two wallets', () => {
    expect(
      requestFingerprint(digestOf, 'disburse', CURRENCIES.CDF, {
        amount: '100',
        currency: 'USD',
        shortcode: '0991234567',
      }),
    ).toBe('v1:fC94mp0vtGSY0Xedp1n90Ry5Pwzl6ohsVQb-4acKK2w');
  });

  it('differs by currency', () => {
    expect(printOf('{"amount":100,"account_number":"1234","bank_code":"01"}', NGN)).not.toBe(base);
  });

  it('is equal exactly where the known fields are', () => {
    const text = fc.stringMatching(/^[0-9a-z]{1,4}$/);
    const fields = fc.record({
      amount: fc.integer({ min: 0, max: 99 }).map(String),
      account_number: text,
      bank_code: text,
    });
    fc.assert(
      fc.property(fields, fields, (a, b) => {
        const same = a.amount === b.amount && a.account_number === b.account_number && a.bank_code === b.bank_code;
        expect(
          requestFingerprint(digestOf, 'bank_transfer', KES, a) ===
            requestFingerprint(digestOf, 'bank_transfer', KES, b),
        ).toBe(same);
      }),
    );
  });
});
