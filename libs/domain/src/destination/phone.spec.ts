import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Currency } from '../currency/currency.js';
import { PHONE_PREFIXES } from '../currency/phone-prefixes.js';
import { CURRENCIES } from '../currency/registry.js';
import { parseNameRequest } from '../requests/name-request.js';
import { parseDisburse } from '../requests/payout-request.js';
import { currencyOfPhone, hintedNetworks, localPhone, parsePhone, shortcodeOf } from './phone.js';
import { ALL_CURRENCIES, nationalNumbers } from '../requests/requests.spec-support.js';

const { KES, UGX, NGN, GHS } = CURRENCIES;
const each = ALL_CURRENCIES.map((currency) => [currency.code, currency] as const);

const prefixesOf = ({ phone_code, phone }: Currency): string[] => [
  '0',
  phone_code,
  `+${phone_code}`,
  ...(phone.bareAccepted ? [''] : []),
];
const networksOf = (currency: Currency): readonly string[] =>
  currency.payouts[0].destinations.flatMap((rules) =>
    rules.kind === 'mobile' ? rules.networks.map(({ name }) => name) : [],
  );

describe('parsePhone', () => {
  // By hand, decisions.md section 1, Phones.
  it.each([
    ['KES', '+254712345678', ['0712345678', '254712345678', '+254712345678', '712345678'], ['7123456789']],
    ['KES', '+254110345678', ['0110345678', '254110345678', '+254110345678', '110345678'], []],
    ['UGX', '+256772345678', ['0772345678', '256772345678', '+256772345678'], ['772345678']],
    ['NGN', '+2348021234567', ['08021234567', '2348021234567', '+2348021234567'], ['8021234567']],
    ['GHS', '+233241234567', ['0241234567', '233241234567', '+233241234567'], ['241234567']],
    ['MWK', '+265991234567', ['0991234567', '265991234567', '+265991234567'], ['991234567']],
    ['CDF', '+243812345678', ['0812345678', '243812345678', '+243812345678'], ['812345678']],
    ['ETB', '+251911234567', ['0911234567', '251911234567', '+251911234567'], ['911234567']],
    ['ETB', '+251700123456', ['0700123456', '251700123456', '+251700123456'], ['700123456']],
  ] as const)('%s: %s is known in each of its forms', (code, number, forms, others) => {
    for (const form of forms) expect(parsePhone(form, CURRENCIES[code])).toBe(number);
    for (const other of others) expect(parsePhone(other, CURRENCIES[code])).toBeNull();
  });

  it.each([
    '',
    '0',
    '+',
    '071234567',
    '07123456789',
    '0212345678',
    '2540712345678',
    '+0712345678',
    '00254712345678',
    '256712345678',
    ' 0712345678',
    '0712345678\n',
    '0712 345 678',
    '0712-345678',
    '٠٧١٢٣٤٥٦٧٨',
    '０７１２３４５６７８',
    '++254712345678',
    '0712345678x',
    '+254712345678;ext=5',
    'tel:+254712345678',
    '0712345678#',
    '(0712)345678',
  ])('refuses %j', (text) => {
    expect(parsePhone(text, KES)).toBeNull();
  });

  it.each([
    ['a landline of Nairobi', '0202345678', KES],
    ['a free number of Kenya', '0800123456', KES],
    ['a premium number of Kenya', '0900223456', KES],
    ['a landline of Kampala', '0312345678', UGX],
    ['a free number of Uganda', '0800123456', UGX],
    ['a free number of Nigeria that has the form of a mobile one', '08001234567', NGN],
    ['a company number of Nigeria that has the form of a mobile one', '07001234567', NGN],
    ['a landline of Lagos', '018040123', NGN],
    ['a landline of Accra', '0302345678', GHS],
    ['a free number of Ghana', '080012345', GHS],
    ['a landline of Blantyre', '01234567', CURRENCIES.MWK],
    ['a landline of Kinshasa', '012345678', CURRENCIES.CDF],
    ['a landline of Addis Ababa', '0111112345', CURRENCIES.ETB],
  ])('refuses %s', (_, text, currency) => {
    expect(parsePhone(text, currency)).toBeNull();
  });

  it.each([
    ['0109123456', KES],
    ['0199123456', KES],
    ['0722123456', UGX],
    ['07301234567', NGN],
    ['0581234567', GHS],
    ['0801234567', CURRENCIES.MWK],
    ['0921234567', CURRENCIES.CDF],
    ['0741234567', CURRENCIES.ETB],
  ])('takes %s, of a range the plan does not know yet', (text, currency) => {
    expect(parsePhone(text, currency)).toBe(`+${currency.phone_code}${text.slice(1)}`);
  });

  // By hand.
  it.each([
    ['KES', '17', 9],
    ['UGX', '7', 9],
    ['NGN', '789', 10],
    ['GHS', '25', 9],
    ['MWK', '89', 9],
    ['CDF', '89', 9],
    ['ETB', '789', 9],
  ] as const)('%s: mobile numbers begin with one of %s and have %i digits', (code, first, digits) => {
    const { national } = CURRENCIES[code].phone;
    for (const digit of '0123456789') {
      expect([digit, national.test(digit.padEnd(digits, '1'))]).toEqual([digit, first.includes(digit)]);
      for (const other of [digits - 1, digits + 1]) expect(national.test(digit.padEnd(other, '1'))).toBe(false);
    }
  });

  it.each(each)('%s: every accepted number survives a round trip, and normalising twice equals once', (_, currency) => {
    fc.assert(
      fc.property(nationalNumbers(currency), fc.constantFrom(...prefixesOf(currency)), (national, prefix) => {
        const number = parsePhone(prefix + national, currency);
        for (const other of prefixesOf(currency)) expect(parsePhone(other + national, currency)).toBe(number);
        if (number === null) return;
        expect(number).toBe(`+${currency.phone_code}${national}`);
        expect(parsePhone(number, currency)).toBe(number);
        expect(parsePhone(localPhone(number), currency)).toBe(number);
        expect(localPhone(number)).toBe(`0${national}`);
        expect(currencyOfPhone(number)).toBe(currency);
      }),
      { numRuns: 300 },
    );
  });

  it.each(each)('%s: answers a number of the country or nothing, whatever is sent', (_, currency) => {
    const almost = fc.stringMatching(new RegExp(`^(\\+?${currency.phone_code}|0|00)?[0-9 ]{0,12}$`));
    fc.assert(
      fc.property(fc.oneof(almost, fc.stringMatching(/^[+0-9 ]{0,15}$/), fc.string({ unit: 'binary' })), (text) => {
        const number = parsePhone(text, currency);
        if (number === null) return;
        const national = number.slice(currency.phone_code.length + 1);
        expect(currency.phone.national.test(national)).toBe(true);
        expect(prefixesOf(currency).map((prefix) => prefix + national)).toContain(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(each)('%s: its example is a number, and is given in local form', (_, currency) => {
    const number = parsePhone(currency.phone.example, currency);
    expect(number && localPhone(number)).toBe(currency.phone.example);
  });
});

describe('currencyOfPhone', () => {
  it('tells countries apart, no code being the beginning of another, and throws on a number of elsewhere', () => {
    for (const { phone_code } of ALL_CURRENCIES) {
      expect(ALL_CURRENCIES.filter((other) => phone_code.startsWith(other.phone_code))).toHaveLength(1);
    }
    for (const elsewhere of ['+447400123456', '254712345678', '', '+'])
      expect(() => currencyOfPhone(elsewhere)).toThrow(RangeError);
  });
});

describe('hintedNetworks', () => {
  it.each([
    ['+254712345678', ['Safaricom']],
    ['+254733123456', ['Airtel']],
    // The longest prefix counts: 25474 is Safaricom's, but 254744 is not.
    ['+254740123456', ['Safaricom']],
    ['+254744123456', []],
    ['+254750123456', ['Airtel']],
    ['+254757123456', ['Safaricom']],
    ['+256772345678', ['MTN']],
    ['+256702345678', ['Airtel']],
    ['+233201234567', ['Telecel']],
    ['+233261234567', ['AirtelTigo']],
    ['+233241234567', ['MTN']],
    ['+265991234567', ['Airtel Money']],
    ['+265881234567', ['TNM Mpamba']],
    ['+243812345678', ['Mpesa']],
    ['+243991234567', ['Airtel Money']],
    ['+243841234567', []],
    ['+251700123456', ['MPESA']],
    ['+251911234567', ['Telebirr', 'Cbe Birr']],
    ['+254199123456', []],
    ['+2348021234567', []],
  ])('%s hints at %j', (phone, networks) => {
    expect(hintedNetworks(phone)).toEqual(networks);
  });

  it.each(each)(
    '%s: the table names only networks that are paid there, each prefix once, under its own code',
    (code, currency) => {
      const rows = PHONE_PREFIXES[currency.code] ?? [];
      expect(rows.length > 0).toBe(networksOf(currency).length > 0);
      expect(new Set(rows.map(([prefix]) => prefix)).size).toBe(rows.length);
      for (const [prefix, networks] of rows) {
        expect(prefix.startsWith(currency.phone_code)).toBe(true);
        for (const network of networks) expect(networksOf(CURRENCIES[code])).toContain(network);
      }
    },
  );

  it.each(each.filter(([, currency]) => networksOf(currency).length > 0))(
    '%s: a number that was ported is paid and asked for all the same',
    (_, currency) => {
      fc.assert(
        fc.property(nationalNumbers(currency), fc.constantFrom(...networksOf(currency)), (national, network) => {
          const number = parsePhone(`0${national}`, currency);
          fc.pre(number !== null);
          const request = { type: 'MOBILE', shortcode: `0${national}`, mobile_network: network };
          expect(parseDisburse(currency, { ...request, amount: '500' })).toMatchObject({
            ok: true,
            value: { destination: { phone: number, mobile_network: network } },
          });
          expect(parseNameRequest(currency, request)).toMatchObject({
            ok: true,
            value: { destination: { phone: number, mobile_network: network } },
          });
        }),
      );
    },
  );
});

describe('shortcodeOf', () => {
  it('is a phone in local form, a till, a paybill, and empty of a bank account', () => {
    expect(shortcodeOf({ kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' })).toBe('0712345678');
    expect(shortcodeOf({ kind: 'till', shortcode: '54321' })).toBe('54321');
    expect(shortcodeOf({ kind: 'paybill', shortcode: '888880' })).toBe('888880');
    expect(shortcodeOf({ kind: 'bank', account_number: '1234', bank_code: '01', bank_name: 'KCB Bank Kenya' })).toBe(
      '',
    );
  });
});
