import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseBankTransfer } from '../requests/bank-transfer.js';
import type { Currency } from '../currency/currency.js';
import { CURRENCIES, WALLET_CURRENCIES, type Currencies } from '../currency/registry.js';
import { parseDisburse } from '../requests/payout-request.js';
import { requestShapes } from '../requests/request-shapes.js';
import { ALL_CURRENCIES, PAYOUT_CASES, recipientFields, refusalOf } from '../requests/requests.spec-support.js';
import { serviceFee, type FeeOperation } from './service-fee.js';
import { applyTerms, defaultTerms, effectiveLimits } from './terms.js';
import { formatDecimal } from '../money/decimal.js';
import { money } from '../money/money.js';

function termsOf(json: unknown, base: Currencies = CURRENCIES): Currencies {
  const terms = applyTerms(base, json);
  if (!terms.ok) throw new Error(terms.error);
  return terms.value;
}

function errorOf(json: unknown): string {
  const terms = applyTerms(CURRENCIES, json);
  if (terms.ok) throw new Error('accepted');
  return terms.error;
}

const TILL = { type: 'TILL', shortcode: '54321' };
const ACCOUNT = { account_number: '1234567890', bank_code: '01' };
const OPERATIONS: readonly FeeOperation[] = ['bank_transfer', 'disburse', 'pay'];

describe('limits as settings', () => {
  it("judge requests, and are told, in place of the registry's", () => {
    const terms = termsOf({
      limits: [
        { operation: 'payout', currency: 'KES', type: 'BUY_GOODS', min: '50', max: '1000.00' },
        { operation: 'bank_transfer', currency: 'KES', max: '500.50' },
      ],
    });
    expect(refusalOf(parseDisburse(terms.KES, { ...TILL, amount: '49' })).message).toBe(
      'The amount field must be at least 50',
    );
    expect(refusalOf(parseDisburse(terms.KES, { ...TILL, amount: '1001' })).message).toBe(
      'amount must be at most 1,000 KES',
    );
    expect(
      parseDisburse(terms.KES, { ...TILL, amount: '50' }).ok &&
        parseDisburse(terms.KES, { ...TILL, amount: '1000' }).ok,
    ).toBe(true);
    expect(refusalOf(parseBankTransfer(terms.KES, { ...ACCOUNT, amount: '500.51' })).message).toBe(
      'amount must be between 100 and 500.50 KES',
    );
    expect(parseBankTransfer(terms.KES, { ...ACCOUNT, amount: '500.50' }).ok).toBe(true);
    expect(effectiveLimits(terms.KES).find(({ kind }) => kind === 'till')?.limits).toEqual({
      minMinor: 50_00n,
      maxMinor: 1_000_00n,
    });
    expect(requestShapes('disburse', terms.KES).find(({ kind }) => kind === 'till')?.example).toMatchObject({
      amount: 50,
    });
  });

  it('change nothing else', () => {
    const terms = termsOf({ limits: [{ operation: 'payout', currency: 'KES', type: 'BUY_GOODS', min: '50' }] });
    const [payouts] = CURRENCIES.KES.payouts;
    const destinations = payouts.destinations.map((rules) =>
      rules.kind === 'till' ? { ...rules, limits: { ...rules.limits, minMinor: 50_00n } } : rules,
    );
    expect(terms).toEqual({ ...CURRENCIES, KES: { ...CURRENCIES.KES, payouts: [{ ...payouts, destinations }] } });
    expect(parseDisburse(CURRENCIES.KES, { ...TILL, amount: '20' }).ok).toBe(true);
  });

  it('are of every kind where no type is said, and of the wallet that is named', () => {
    const all = termsOf({ limits: [{ operation: 'payout', currency: 'KES', max: '300' }] });
    for (const { limits } of effectiveLimits(all.KES)) expect(limits).toEqual({ minMinor: 20_00n, maxMinor: 300_00n });
    const dollars = termsOf({
      limits: [{ operation: 'payout', currency: 'CDF', paid_in: 'USD', min: '2', max: '300' }],
    });
    for (const { paidIn, limits } of effectiveLimits(dollars.CDF)) {
      expect(limits).toEqual(
        paidIn === 'USD' ? { minMinor: 2_00n, maxMinor: 300_00n } : { minMinor: 500_00n, maxMinor: 1_000_000_00n },
      );
    }
  });

  it('add up row by row, the later on what the earlier made', () => {
    const terms = termsOf({
      limits: [
        { operation: 'payout', currency: 'NGN', max: '500' },
        { operation: 'payout', currency: 'NGN', min: '500' },
      ],
    });
    expect(effectiveLimits(terms.NGN)[0]?.limits).toEqual({ minMinor: 500_00n, maxMinor: 500_00n });
    expect(
      errorOf({
        limits: [
          { operation: 'payout', currency: 'NGN', max: '500' },
          { operation: 'payout', currency: 'NGN', min: '501' },
        ],
      }),
    ).toBe('limits.1: min must be above 0 and not above max');
  });

  it("may be wider than the registry's, where the network takes it", () => {
    expect(
      termsOf({ limits: [{ operation: 'payout', currency: 'GHS', min: '1', max: '25000' }] }).GHS.payouts[0]
        .destinations[0]?.limits.maxMinor,
    ).toBe(25_000_00n);
    // Each network also keeps its own limit.
    const terms = termsOf({ limits: [{ operation: 'payout', currency: 'GHS', max: '25000' }] });
    const request = { amount: '10000.01', shortcode: '0241234567' };
    expect(parseDisburse(terms.GHS, { ...request, mobile_network: 'MTN' }).ok).toBe(true);
    expect(refusalOf(parseDisburse(terms.GHS, { ...request, mobile_network: 'AirtelTigo' })).message).toBe(
      'amount must be at most 10,000 GHS',
    );
    expect(effectiveLimits(terms.GHS).map(({ limits }) => limits.maxMinor)).toEqual([
      25_000_00n,
      10_000_00n,
      25_000_00n,
    ]);
  });

  it.each([
    [
      "one above the network's own",
      { operation: 'payout', currency: 'KES', type: 'MOBILE', max: '250001' },
      "max must not be above the network's own 250,000",
    ],
    [
      "one above a network's own in dollars",
      { operation: 'payout', currency: 'CDF', paid_in: 'USD', max: '2500.01' },
      "max must not be above the network's own 2,500",
    ],
    [
      "one above the widest network's",
      { operation: 'payout', currency: 'GHS', max: '25000.01' },
      "max must not be above the network's own 25,000",
    ],
    [
      "one above the bank provider's",
      { operation: 'bank_transfer', currency: 'KES', max: '999999.01' },
      "max must not be above the network's own 999,999",
    ],
    [
      "one below the network's own",
      { operation: 'payout', currency: 'UGX', min: '499' },
      "min must not be below the network's own 500",
    ],
    [
      "one below the bank provider's",
      { operation: 'bank_transfer', currency: 'KES', min: '0.99' },
      "min must not be below the network's own 1",
    ],
    [
      'one of all kinds that one kind cannot have',
      { operation: 'payout', currency: 'MWK', max: '5000000' },
      "max must not be above the network's own 750,000",
    ],
    [
      'what leaves one of its networks nothing',
      { operation: 'payout', currency: 'GHS', min: '15000', max: '25000' },
      'min and max must leave something to the network that takes 1 to 10,000',
    ],
    [
      'cents where a network moves whole units',
      { operation: 'payout', currency: 'KES', type: 'MOBILE', min: '50.50' },
      'min must be a whole number',
    ],
    [
      'more digits than a ledger adds up',
      { operation: 'payout', currency: 'NGN', max: `1${'0'.repeat(27)}` },
      'max must have at most 27 digits',
    ],
    ['none at all', { operation: 'payout', currency: 'NGN', min: '0' }, 'min must be above 0 and not above max'],
    [
      'the least above the most',
      { operation: 'payout', currency: 'NGN', min: '2000000' },
      'min must be above 0 and not above max',
    ],
    [
      'decimals a currency has not',
      { operation: 'payout', currency: 'UGX', max: '1000.5' },
      'max must be a whole number',
    ],
    [
      'what is no amount',
      { operation: 'payout', currency: 'NGN', min: '1e3' },
      'min must be a decimal number such as 100 or 100.50, without sign, exponent, space or separator',
    ],
    [
      'a bank transfer where there is none',
      { operation: 'bank_transfer', currency: 'UGX', max: '1000' },
      'bank transfers in UGX are not offered',
    ],
    [
      'a kind that is not paid there',
      { operation: 'payout', currency: 'UGX', type: 'PAYBILL', max: '1000' },
      'PAYBILL is no kind of recipient in UGX',
    ],
    [
      'a wallet that does not pay there',
      { operation: 'payout', currency: 'KES', paid_in: 'USD', max: '1000' },
      'payouts in KES are not made from USD',
    ],
  ])('refuse %s, and name the row', (_, row, message) => {
    const good = { operation: 'payout', currency: 'KES', max: '1000' };
    expect(errorOf({ limits: [good, row] })).toBe(`limits.1: ${message}`);
  });

  it.each([
    ['a number for an amount', { limits: [{ operation: 'payout', currency: 'KES', max: 1000 }] }, 'limits.0.max: '],
    ['another currency', { limits: [{ operation: 'payout', currency: 'USD', max: '5' }] }, 'limits.0.currency: '],
    ['another operation', { limits: [{ operation: 'pay', currency: 'KES', max: '5' }] }, 'limits.0.operation: '],
    ['another type', { limits: [{ operation: 'payout', currency: 'KES', type: 'TILL', max: '5' }] }, 'limits.0.type: '],
    ['a misspelt key of a row', { limits: [{ operation: 'payout', currency: 'KES', maximum: '5' }] }, 'limits.0: '],
    [
      'a type of a bank transfer',
      { limits: [{ operation: 'bank_transfer', currency: 'KES', type: 'BANK_TRANSFER' }] },
      'limits.0: ',
    ],
    ['a misspelt key', { limit: [] }, 'the file: '],
    ['no object', [], 'the file: '],
    ['nothing', null, 'the file: '],
    ['a text', '{}', 'the file: '],
    [
      'part of a basis point',
      { service_fees: [{ operation: 'disburse', currency: 'KES', basis_points: 0.5 }] },
      'service_fees.0.basis_points: ',
    ],
    [
      'more than the whole',
      { service_fees: [{ operation: 'disburse', currency: 'KES', basis_points: 10_001 }] },
      'service_fees.0.basis_points: ',
    ],
    [
      'a fee for pay: it is in the rate',
      { service_fees: [{ operation: 'pay', currency: 'KES', flat: '5' }] },
      'service_fees.0.operation: ',
    ],
  ])('refuse %s', (_, json, where) => {
    expect(errorOf(json)).toMatch(new RegExp(`^${where.replaceAll('.', '\\.')}\\S`));
  });

  it('never let through what no network takes, nor throw, whatever is set', () => {
    const amount = fc.option(fc.oneof(fc.stringMatching(/^\d{1,8}(\.\d{1,3})?$/), fc.string()), { nil: undefined });
    const row = fc.record(
      {
        operation: fc.constantFrom('payout', 'bank_transfer'),
        currency: fc.constantFrom(...ALL_CURRENCIES.map(({ code }) => code)),
        paid_in: fc.constantFrom('USD', undefined),
        type: fc.constantFrom('MOBILE', 'BANK_TRANSFER', undefined),
        min: amount,
        max: amount,
      },
      { requiredKeys: ['operation', 'currency'] },
    );
    fc.assert(
      fc.property(fc.array(row, { maxLength: 3 }), (limits) => {
        const terms = applyTerms(CURRENCIES, { limits });
        if (!terms.ok) return;
        for (const [, one] of PAYOUT_CASES) {
          const {
            currency: { code },
            payouts,
            rules,
            network,
            minorDecimals,
          } = one;
          const changed = terms.value[code].payouts
            .find(({ currency }) => currency === payouts.currency)
            ?.destinations.find(({ kind }) => kind === rules.kind);
          if (changed === undefined) throw new Error('a kind got lost');
          expect(changed.limits.minMinor > 0n && changed.limits.minMinor <= changed.limits.maxMinor).toBe(true);
          const theirs = network?.networkLimits ?? (rules.kind === 'mobile' ? null : rules.networkLimits);
          if (theirs === null) continue;
          const above = formatDecimal(theirs.maxMinor + 10n ** BigInt(minorDecimals), minorDecimals);
          expect(parseDisburse(terms.value[code], { ...recipientFields(one), amount: above }).ok).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('service fees as settings', () => {
  it('are flat and basis points, of an operation and a wallet', () => {
    const terms = termsOf({
      service_fees: [
        { operation: 'bank_transfer', currency: 'KES', flat: '12.50' },
        { operation: 'disburse', currency: 'UGX', flat: '500', basis_points: 100 },
        { operation: 'disburse', currency: 'CDF', paid_in: 'USD', basis_points: 1 },
      ],
    });
    expect(serviceFee('bank_transfer', money(100_00n, 'KES'), terms).minor).toBe(12_50n);
    expect(serviceFee('disburse', money(10_050n, 'UGX'), terms).minor).toBe(601n);
    expect(serviceFee('disburse', money(1_00n, 'USD'), terms).minor).toBe(1n);
    for (const wallet of WALLET_CURRENCIES) expect(serviceFee('pay', money(100_00n, wallet), terms).minor).toBe(0n);
    for (const wallet of ['KES', 'NGN', 'GHS', 'MWK', 'CDF', 'ETB'])
      expect(serviceFee('disburse', money(100_00n, wallet), terms).minor).toBe(0n);
    expect(effectiveLimits(terms.UGX)).toEqual(effectiveLimits(CURRENCIES.UGX));
  });

  it.each([
    [
      'bank transfers where there are none',
      { operation: 'bank_transfer', currency: 'GHS', flat: '5' },
      'bank transfers in GHS are not offered',
    ],
    [
      'a wallet that does not pay there',
      { operation: 'disburse', currency: 'GHS', paid_in: 'USD', flat: '5' },
      'payouts in GHS are not made from USD',
    ],
    [
      'a bank transfer from another wallet',
      { operation: 'bank_transfer', currency: 'KES', paid_in: 'USD', flat: '5' },
      'bank transfers in KES are not made from USD',
    ],
    [
      'more decimals than the wallet has',
      { operation: 'disburse', currency: 'UGX', flat: '0.5' },
      'flat must be a whole number',
    ],
    [
      'a debt',
      { operation: 'disburse', currency: 'KES', flat: '-5' },
      'flat must be a decimal number such as 100 or 100.50, without sign, exponent, space or separator',
    ],
  ])('refuse %s, and name the row', (_, row, message) => {
    expect(errorOf({ service_fees: [row] })).toBe(`service_fees.0: ${message}`);
  });
});

describe('terms where nothing is set', () => {
  it('are the registry, and in live without any fee', () => {
    expect(defaultTerms('sandbox')).toBe(CURRENCIES);
    expect(termsOf({})).toEqual(CURRENCIES);
    const live = defaultTerms('live');
    for (const wallet of WALLET_CURRENCIES)
      for (const operation of OPERATIONS) expect(serviceFee(operation, money(1_000_00n, wallet), live).minor).toBe(0n);
    const withoutFees = (currency: Currency): unknown =>
      JSON.parse(
        JSON.stringify(currency, (key, value: unknown) =>
          key === 'serviceFee' ? undefined : typeof value === 'bigint' ? String(value) : value,
        ),
      );
    for (const { code } of ALL_CURRENCIES) {
      expect(withoutFees(live[code])).toEqual(withoutFees(CURRENCIES[code]));
      expect(effectiveLimits(live[code])).toEqual(effectiveLimits(CURRENCIES[code]));
    }
  });

  it('take fees in live that somebody set', () => {
    const live = termsOf(
      { service_fees: [{ operation: 'bank_transfer', currency: 'NGN', flat: '50' }] },
      defaultTerms('live'),
    );
    expect(serviceFee('bank_transfer', money(100_00n, 'NGN'), live).minor).toBe(50_00n);
    expect(serviceFee('bank_transfer', money(100_00n, 'KES'), live).minor).toBe(0n);
  });
});
