import { describe, expect, it } from '@jest/globals';

import { destinationIn } from '../destinations.js';
import {
  amountOf,
  localPhone,
  minorOf,
  recipientOf,
  sandboxNumberOf,
  walletOf,
  type SentPayout,
} from './sent-payout.js';

const sent = (currency: string, fields: Partial<SentPayout>): SentPayout => ({
  partner: 1,
  operation: 'disburse',
  code: 'x',
  currency,
  body: { amount: '5' },
  outcome: 'accepted',
  controls: [],
  ...fields,
});

describe('a phone as rows and books have it', () => {
  it.each([
    ['KES', '712345678', '0712345678'],
    ['KES', '+254712345678', '0712345678'],
    ['UGX', '256772345678', '0772345678'],
    ['NGN', '+2348021234567', '08021234567'],
    ['GHS', '0233123456', '0233123456'],
    ['GHS', '233233123456', '0233123456'],
    ['MWK', '+265991234567', '0991234567'],
    ['CDF', '243811234567', '0811234567'],
    ['ETB', '+251911234567', '0911234567'],
    ['KES', '7123456', '7123456'],
  ])('%s %s is %s', (market, shortcode, local) => {
    expect(localPhone(shortcode, market)).toBe(local);
  });
});

describe('what is remembered of a payout', () => {
  it('is in the wallet that pays, and to a phone of its market', () => {
    expect([
      walletOf('CDF', { amount: 5, currency: 'usd' }),
      walletOf('CDF', { amount: 5, currency: null }),
      walletOf('KES', { amount: 5, currency: 'USD' }),
    ]).toEqual(['USD', 'CDF', 'KES']);
    const dollars = sent('USD', {
      market: 'CDF',
      body: { amount: '5.01', shortcode: '+243991237890', mobile_network: 'Mpesa', currency: 'USD' },
    });
    expect([amountOf(dollars), recipientOf(dollars), sandboxNumberOf(dollars)]).toEqual([
      501n,
      { shortcode: '0991237890' },
      '7890',
    ]);
    expect(amountOf(sent('UGX', {}))).toBe(5n);
    expect(() => minorOf('5.5', 'UGX')).toThrow(/decimals/);
  });

  it('names a bank by its own code', () => {
    expect(
      recipientOf(sent('NGN', { body: { amount: 5, account_number: '1234567890', bank_code: 'ABNGNGLA' } })),
    ).toEqual({ account_number: '1234567890', bank_code: '044' });
    expect(
      recipientOf(sent('KES', { body: { amount: 5, account_number: '1234567890', bank_code: '02' } })),
    ).toMatchObject({ bank_code: '02' });
  });

  it('has a recipient of its own in each market', () => {
    for (const [market, kind] of [
      ['KES', 'mobile'],
      ['UGX', 'mobile'],
      ['NGN', 'bank'],
      ['GHS', 'mobile'],
      ['MWK', 'mobile'],
      ['MWK', 'bank'],
      ['CDF', 'mobile'],
      ['ETB', 'mobile'],
    ] as const) {
      const [first, second] = [destinationIn(market, kind, '0009'), destinationIn(market, kind, '0009')].map((to) =>
        sent(market, { body: { amount: 5, ...to } }),
      );
      expect([sandboxNumberOf(first!), recipientOf(first!)]).not.toEqual([
        sandboxNumberOf(second!),
        recipientOf(second!),
      ]);
      expect(sandboxNumberOf(first!)).toBe('0009');
    }
    expect(() => destinationIn('UGX', 'bank')).toThrow(/nothing is paid/);
  });
});
