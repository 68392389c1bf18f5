import { describe, expect, it } from '@jest/globals';

import { requestShapes } from '../requests/request-shapes.js';
import { ALL_CURRENCIES, namesIn, PAYOUT_CASES } from '../requests/requests.spec-support.js';
import { formatDecimal } from '../money/decimal.js';
import { effectiveLimits } from '../terms/terms.js';
import { CURRENCY_CODES, type NumberRule } from './currency.js';
import {
  CURRENCIES,
  currencyDecimals,
  DEFAULT_BANKS_CURRENCY,
  DEFAULT_CURRENCY,
  findCurrency,
  findWallet,
  isUsd,
  paidInCurrencies,
  WALLET_CURRENCIES,
  WALLETS,
} from './registry.js';

const each = ALL_CURRENCIES.map((currency) => [currency.code, currency] as const);

describe('the currency registry', () => {
  // By hand from ISO 3166-1 and ITU-T E.164: ids never change.
  it.each([
    ['KES', 'KE', 404, 'Kenya', '254', 2],
    ['UGX', 'UG', 800, 'Uganda', '256', 0],
    ['NGN', 'NG', 566, 'Nigeria', '234', 2],
    ['GHS', 'GH', 288, 'Ghana', '233', 2],
    ['MWK', 'MW', 454, 'Malawi', '265', 2],
    ['CDF', 'CD', 180, 'Democratic Republic of the Congo', '243', 2],
    ['ETB', 'ET', 231, 'Ethiopia', '251', 2],
  ] as const)('%s is of the country %s', (code, country, country_id, country_name, phone_code, decimals) => {
    expect(CURRENCIES[code]).toMatchObject({ code, country, country_id, country_name, phone_code, decimals });
    expect(currencyDecimals(code)).toBe(decimals);
  });

  it.each(each)('%s is found by its own code and country only', (key, currency) => {
    expect(CURRENCIES[key]).toBe(currency);
    for (const name of [currency.code, currency.country]) {
      for (const spelling of [name, name.toLowerCase(), name.charAt(0) + name.slice(1).toLowerCase()])
        expect(findCurrency(spelling)).toBe(currency);
    }
    expect(findWallet(key.toLowerCase())?.code).toBe(key);
    expect(findWallet(currency.country)).toBeUndefined();
  });

  it('lists the currencies in the order of the interface, and USD as a wallet only', () => {
    expect(Object.keys(CURRENCIES)).toEqual([...CURRENCY_CODES]);
    expect(WALLET_CURRENCIES).toEqual([...CURRENCY_CODES, 'USD']);
    expect(WALLETS.map(({ code, decimals }) => [code, decimals])).toEqual(
      WALLET_CURRENCIES.map((code) => [code, currencyDecimals(code)]),
    );
    expect(findCurrency('USD')).toBeUndefined();
    expect(findWallet('usd')).toMatchObject({ code: 'USD', decimals: 2 });
    expect(WALLET_CURRENCIES.filter(isUsd)).toEqual(['USD']);
  });

  it('means Kenya where the path of pay or validation says nothing, and lists the banks of Nigeria', () => {
    expect([DEFAULT_CURRENCY, DEFAULT_BANKS_CURRENCY]).toEqual(['KES', 'NGN']);
  });

  it.each(['', 'K', 'KEN', 'KESS', 'xxx', 'constructor', '__proto__', 'kés', 'ＫＥＳ', 'keſ', 'ke\n'])(
    'does not find %j',
    (text) => {
      expect(findCurrency(text)).toBeUndefined();
      expect(findWallet(text)).toBeUndefined();
      expect(paidInCurrencies(text)).toEqual([]);
    },
  );

  it('throws for the decimals of what is no wallet currency', () => {
    for (const code of ['KE', 'EUR', 'kes', '__proto__']) expect(() => currencyDecimals(code)).toThrow(RangeError);
  });

  it('knows which wallets the payouts of a currency leave', () => {
    for (const code of CURRENCY_CODES) expect(paidInCurrencies(code)).toEqual(code === 'CDF' ? ['CDF', 'USD'] : [code]);
    expect(paidInCurrencies('CD')).toEqual(['CDF', 'USD']);
  });

  it('pays from each wallet by one set of rules, so that what a service fee is of is never in doubt', () => {
    const wallets = ALL_CURRENCIES.flatMap(({ payouts }) => payouts.map(({ currency }) => currency));
    expect(new Set(wallets).size).toBe(wallets.length);
    for (const { code, payouts } of ALL_CURRENCIES) expect(payouts[0].currency).toBe(code);
  });
});

// A second copy of decisions.md sections 1 and 3 and data/limits.json, in major units.
describe('limits and decimals', () => {
  it.each([
    ['KES', '100.00', '250000.00'],
    ['NGN', '100.00', '1000000.00'],
    ['MWK', '100.00', '5000000.00'],
  ] as const)('%s bank transfers are of %s to %s', (code, min, max) => {
    const rules = CURRENCIES[code].bankTransfer;
    if (rules === null) throw new Error('not offered');
    expect([rules.minMinor, rules.maxMinor].map((limit) => formatDecimal(limit, 2))).toEqual([min, max]);
    expect(rules.decimals).toBe(2);
  });

  it.each(['UGX', 'GHS', 'CDF', 'ETB'] as const)('%s has no bank transfer', (code) => {
    expect(CURRENCIES[code].bankTransfer).toBeNull();
  });

  /** Wallet, our limits, the network's (null: not published), request decimals. */
  const TABLE: Readonly<Record<string, readonly [string, string, string | null, string | null, number]>> = {
    'KES KES mobile Safaricom': ['20.00', '250000.00', '10.00', '250000.00', 0],
    'KES KES mobile Airtel': ['20.00', '250000.00', '1.00', '250000.00', 0],
    'KES KES paybill': ['20.00', '250000.00', null, null, 0],
    'KES KES till': ['20.00', '250000.00', null, null, 0],
    'KES KES bank': ['20.00', '250000.00', '1.00', '999999.00', 2],
    'UGX UGX mobile MTN': ['500', '5000000', '500', '5000000', 0],
    'UGX UGX mobile Airtel': ['500', '5000000', '500', '5000000', 0],
    'NGN NGN bank': ['100.00', '1000000.00', null, null, 2],
    'GHS GHS mobile MTN': ['5.00', '5000.00', '1.00', '25000.00', 2],
    'GHS GHS mobile AirtelTigo': ['5.00', '5000.00', '1.00', '10000.00', 2],
    'GHS GHS mobile Telecel': ['5.00', '5000.00', '1.00', '25000.00', 2],
    'MWK MWK mobile Airtel Money': ['100.00', '750000.00', '50.00', '750000.00', 2],
    'MWK MWK mobile TNM Mpamba': ['100.00', '750000.00', '50.00', '750000.00', 2],
    'MWK MWK bank': ['100.00', '5000000.00', null, null, 2],
    'CDF CDF mobile Airtel Money': ['500.00', '1000000.00', '100.00', '6250000.00', 2],
    'CDF CDF mobile Mpesa': ['500.00', '1000000.00', '500.00', '1000000.00', 0],
    'CDF USD mobile Airtel Money': ['1.00', '400.00', '1.00', '2500.00', 2],
    'CDF USD mobile Mpesa': ['1.00', '400.00', '1.00', '2500.00', 2],
    'ETB ETB mobile Telebirr': ['10.00', '75000.00', '1.00', '75000.00', 2],
    'ETB ETB mobile Cbe Birr': ['10.00', '75000.00', '1.00', '75000.00', 2],
    'ETB ETB mobile MPESA': ['10.00', '75000.00', '1.00', '75000.00', 2],
  };

  it('are written down for every way there is to be paid, and no other', () => {
    expect(PAYOUT_CASES.map(([name]) => name)).toEqual(Object.keys(TABLE));
  });

  it.each(PAYOUT_CASES)('%s', (name, { rules, network, decimals, minorDecimals }) => {
    const theirs = rules.kind === 'mobile' ? (network?.networkLimits ?? null) : rules.networkLimits;
    const text = (minor: bigint | undefined): string | null =>
      minor === undefined ? null : formatDecimal(minor, minorDecimals);
    expect([
      text(rules.limits.minMinor),
      text(rules.limits.maxMinor),
      text(theirs?.minMinor),
      text(theirs?.maxMinor),
      decimals,
    ]).toEqual(TABLE[name]);
    expect(decimals).toBeLessThanOrEqual(minorDecimals);
    if (theirs === null) return;
    expect(rules.limits.maxMinor <= theirs.maxMinor && rules.limits.minMinor >= theirs.minMinor).toBe(true);
  });

  it.each(each)("%s: what counts in the end is the smaller of ours and the network's", (_, currency) => {
    const told = effectiveLimits(currency).map(({ kind, network, paidIn, decimals, limits }) => [
      [currency.code, paidIn, kind, network].filter((word) => word !== null).join(' '),
      ...[limits.minMinor, limits.maxMinor].map((minor) => formatDecimal(minor, currencyDecimals(paidIn))),
      decimals,
    ]);
    const written = Object.entries(TABLE).filter(([name]) => name.startsWith(currency.code));
    expect(told).toEqual(written.map(([name, [min, max, , , decimals]]) => [name, min, max, decimals]));
  });
});

// interface.md, Pay and Validation request fields; decisions.md section 1, Networks and types.
describe('what each currency is paid by', () => {
  it.each([
    ['KES', ['MOBILE', 'PAYBILL', 'BUY_GOODS', 'BANK_TRANSFER'], ['mobile', 'paybill', 'till']],
    ['UGX', ['MOBILE'], ['mobile']],
    ['NGN', ['BANK_TRANSFER'], ['bank']],
    ['GHS', ['MOBILE'], ['mobile']],
    ['MWK', ['MOBILE', 'BANK_TRANSFER'], ['mobile', 'bank']],
    ['CDF', ['MOBILE'], ['mobile']],
    ['ETB', ['MOBILE'], ['mobile']],
  ] as const)('%s: types %j, names of %j', (code, types, lookups) => {
    const currency = CURRENCIES[code];
    for (const { destinations } of currency.payouts) {
      const kinds = { mobile: 'MOBILE', paybill: 'PAYBILL', till: 'BUY_GOODS', bank: 'BANK_TRANSFER' } as const;
      expect(destinations.map(({ kind }) => kinds[kind])).toEqual(types);
    }
    expect(currency.lookups.map(({ kind }) => kind)).toEqual(lookups);
    expect(requestShapes('validation', currency).map(({ kind }) => kind)).toEqual(lookups);
  });

  /** Besides amount: disburse and pay, then validation. */
  it.each([
    ['KES', 'mobile', ['type', 'shortcode', 'mobile_network'], ['type', 'shortcode', 'mobile_network']],
    ['KES', 'paybill', ['type', 'shortcode', 'account_number'], ['type', 'shortcode']],
    ['KES', 'till', ['type', 'shortcode'], ['type', 'shortcode']],
    ['KES', 'bank', ['type', 'account_number', 'bank_code'], null],
    ['UGX', 'mobile', ['shortcode', 'mobile_network'], ['shortcode', 'mobile_network']],
    ['NGN', 'bank', ['account_name', 'account_number', 'bank_name', 'bank_code'], ['account_number', 'bank_code']],
    ['GHS', 'mobile', ['shortcode', 'mobile_network'], ['shortcode', 'mobile_network']],
    ['MWK', 'mobile', ['type', 'shortcode', 'mobile_network'], ['type', 'shortcode', 'mobile_network']],
    [
      'MWK',
      'bank',
      ['type', 'account_name', 'account_number', 'bank_name', 'bank_code'],
      ['type', 'account_number', 'bank_name', 'bank_code'],
    ],
    ['CDF', 'mobile', ['shortcode', 'mobile_network'], ['shortcode', 'mobile_network']],
    ['ETB', 'mobile', ['shortcode', 'mobile_network'], ['shortcode', 'mobile_network']],
  ] as const)('%s %s needs %j, and to be asked for its name %j', (code, kind, paid, asked) => {
    const needed = (operation: 'disburse' | 'validation'): unknown =>
      requestShapes(operation, CURRENCIES[code]).find((shape) => shape.kind === kind && shape.paidIn === code)?.schema[
        'required'
      ];
    expect([...(needed('disburse') as string[])].sort()).toEqual([...paid, 'amount'].sort());
    expect(asked === null ? needed('validation') : [...(needed('validation') as string[])].sort()).toEqual(
      asked === null ? undefined : [...asked].sort(),
    );
  });

  it.each([
    ['KES KES', ['Safaricom', 'Airtel'], { 'M-Pesa': 'Safaricom' }],
    ['UGX UGX', ['MTN', 'Airtel'], { 'MTN MoMo': 'MTN' }],
    [
      'GHS GHS',
      ['MTN', 'AirtelTigo', 'Telecel'],
      { 'MTN MoMo': 'MTN', 'AirtelTigo Money': 'AirtelTigo', Vodafone: 'Telecel', 'Telecel Cash': 'Telecel' },
    ],
    ['MWK MWK', ['Airtel Money', 'TNM Mpamba'], {}],
    ['CDF CDF', ['Airtel Money', 'Mpesa'], { 'M-Pesa': 'Mpesa' }],
    ['CDF USD', ['Airtel Money', 'Mpesa'], { 'M-Pesa': 'Mpesa' }],
    ['ETB ETB', ['Telebirr', 'Cbe Birr', 'MPESA'], { 'M-Pesa': 'MPESA' }],
  ])('%s: the networks of the interface, %j, with the usual aliases', (name, networks, aliases) => {
    const cases = PAYOUT_CASES.filter(([caseName, { network }]) => network !== null && caseName.startsWith(`${name} `));
    expect(cases.map(([, { network }]) => network?.name)).toEqual(networks);
    const known = new Map(
      namesIn(cases.flatMap(([, { network }]) => network ?? [])).map(([spelt, choice]) => [spelt, choice.name]),
    );
    for (const [alias, canonical] of Object.entries(aliases)) expect(known.get(alias)).toBe(canonical);
  });

  it.each([
    ['KES', ['1234', '12345678901234567890'], ['123', '123456789012345678901', '12 34', 'ABCD', '１２３４', '']],
    ['NGN', ['0123456789'], ['012345678', '01234567890', '01234-6789', '0123456789\n']],
    ['MWK', ['1234', '12345678901234567890'], ['123', '123456789012345678901', '１２３４']],
  ] as const)('%s: account numbers such as %j, for transfers and payouts alike', (code, good, bad) => {
    const { bankTransfer, payouts } = CURRENCIES[code];
    const rules = [
      bankTransfer?.accountNumber,
      ...payouts[0].destinations.map((destination) =>
        destination.kind === 'bank' ? destination.accountNumber : undefined,
      ),
    ];
    const found = rules.filter((rule): rule is NumberRule => rule !== undefined);
    expect(found).toHaveLength(2);
    for (const { pattern, example } of found) {
      for (const number of [...good, example]) expect(pattern.test(number)).toBe(true);
      for (const number of bad) expect(pattern.test(number)).toBe(false);
    }
  });

  it('takes tills and paybills of 5 to 7 digits', () => {
    const rules = CURRENCIES.KES.payouts[0].destinations.flatMap((destination) =>
      destination.kind === 'paybill' || destination.kind === 'till' ? [destination.shortcode] : [],
    );
    expect(rules).toHaveLength(2);
    for (const { pattern, example } of rules) {
      for (const number of ['54321', '247247', '1234567', example]) expect(pattern.test(number)).toBe(true);
      for (const number of ['1234', '12345678', '12 345', '1234a', '']) expect(pattern.test(number)).toBe(false);
    }
  });
});
