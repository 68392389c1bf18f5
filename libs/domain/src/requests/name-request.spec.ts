import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { parseNameRequest } from './name-request.js';
import { bodyOf, fieldsOfDestination, refusalOf as refusalIn, valueOf } from './requests.spec-support.js';

const { KES, UGX, NGN, GHS, MWK, CDF, ETB } = CURRENCIES;
const refusalOf = (currency: Currency, fields: object): ReturnType<typeof refusalIn> =>
  refusalIn(parseNameRequest(currency, { ...fields }));
const askedFor = (currency: Currency, fields: object): unknown =>
  valueOf(parseNameRequest(currency, { ...fields })).destination;

const KCB = { account_number: '0123456789', bank_code: '044' };

describe('parseNameRequest', () => {
  // interface.md, Validation request fields; decisions.md section 2.
  it.each([
    [
      'a phone in Kenya',
      KES,
      { type: 'MOBILE', shortcode: '712345678', mobile_network: 'M-Pesa' },
      { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' },
    ],
    ['a paybill', KES, { type: 'PAYBILL', shortcode: '888880' }, { kind: 'paybill', shortcode: '888880' }],
    [
      'a paybill, whatever account with it',
      KES,
      { type: 'paybill', shortcode: '888880', account_number: 'not one!' },
      { kind: 'paybill', shortcode: '888880' },
    ],
    [
      'a till',
      KES,
      { type: 'BUY_GOODS', shortcode: '54321', mobile_network: 'none' },
      { kind: 'till', shortcode: '54321' },
    ],
    ['a till by its other name', KES, { type: 'Till', shortcode: '54321' }, { kind: 'till', shortcode: '54321' }],
    [
      'a phone in Uganda',
      UGX,
      { shortcode: '0772345678', mobile_network: 'mtn momo' },
      { kind: 'mobile', phone: '+256772345678', mobile_network: 'MTN' },
    ],
    [
      'an account in Nigeria',
      NGN,
      KCB,
      { kind: 'bank', account_number: '0123456789', bank_code: '044', bank_name: 'Access Bank' },
    ],
    [
      'an account in Nigeria, by an alias',
      NGN,
      { ...KCB, bank_code: 'abngngla' },
      { kind: 'bank', account_number: '0123456789', bank_code: '044', bank_name: 'Access Bank' },
    ],
    [
      'a phone in Ghana',
      GHS,
      { shortcode: '0201234567', mobile_network: 'Vodafone' },
      { kind: 'mobile', phone: '+233201234567', mobile_network: 'Telecel' },
    ],
    [
      'a phone in Malawi',
      MWK,
      { type: 'MOBILE', shortcode: '0991234567', mobile_network: 'Airtel' },
      { kind: 'mobile', phone: '+265991234567', mobile_network: 'Airtel Money' },
    ],
    [
      'an account in Malawi',
      MWK,
      { type: 'BANK_TRANSFER', account_number: '1234567', bank_code: 'NBMAMWMW', bank_name: 'National Bank of Malawi' },
      {
        kind: 'bank',
        account_number: '1234567',
        bank_code: '82310dd1-ec9b-4fe7-a32c-2f262ef08681',
        bank_name: 'National Bank of Malawi',
      },
    ],
    [
      'a phone in the Congo',
      CDF,
      { shortcode: '0812345678', mobile_network: 'Vodacom' },
      { kind: 'mobile', phone: '+243812345678', mobile_network: 'Mpesa' },
    ],
    [
      'a phone in the Congo, to be paid dollars',
      CDF,
      { shortcode: '0812345678', mobile_network: 'Mpesa', currency: 'usd' },
      { kind: 'mobile', phone: '+243812345678', mobile_network: 'Mpesa' },
    ],
    [
      'a phone in Ethiopia',
      ETB,
      { type: 'mobile', shortcode: '0911234567', mobile_network: 'CBEBirr' },
      { kind: 'mobile', phone: '+251911234567', mobile_network: 'Cbe Birr' },
    ],
  ])('reads %s', (_, currency, fields, destination) => {
    expect(valueOf(parseNameRequest(currency, fields))).toEqual({ destination, accountName: null });
  });

  it('hands on the name that is expected, of any kind of destination', () => {
    const fields = { type: 'TILL', shortcode: '54321' };
    const expected = (account_name: unknown): unknown =>
      valueOf(parseNameRequest(KES, { ...fields, account_name })).accountName;
    expect(expected('Jane  Doé ')).toBe('Jane  Doé ');
    for (const absent of ['', null, undefined]) expect(expected(absent)).toBeNull();
    expect(valueOf(parseNameRequest(NGN, { ...KCB, account_name: 'Jane' })).accountName).toBe('Jane');
    expect(refusalOf(KES, { ...fields, account_name: 'x'.repeat(201) })).toEqual({
      code: 'invalid_request',
      message: 'account_name must have at most 200 characters',
      pointers: ['/account_name'],
    });
    expect(refusalOf(KES, { ...fields, account_name: 'Jane\nDoe' }).message).toBe(
      'account_name must have no control characters',
    );
    expect(refusalOf(NGN, { ...KCB, account_name: 5 }).pointers).toEqual(['/account_name']);
  });

  it.each([
    ['KES without a type', KES, {}, 'type is required', ['/type', '/shortcode']],
    [
      'KES with a bank account, whose name nobody tells',
      KES,
      { type: 'BANK_TRANSFER', ...KCB },
      'type must be one of MOBILE, PAYBILL, BUY_GOODS',
      ['/type', '/shortcode'],
    ],
    [
      'KES with a phone of no network',
      KES,
      { type: 'MOBILE', shortcode: '0712345678' },
      'mobile_network is required',
      ['/mobile_network'],
    ],
    [
      'a paybill that is none',
      KES,
      { type: 'PAYBILL', shortcode: '0712345678' },
      'shortcode must be 5 to 7 digits',
      ['/shortcode'],
    ],
    [
      'a till as a number',
      KES,
      { type: 'TILL', ...bodyOf('{"shortcode":54321}') },
      'shortcode must be a string, not a number',
      ['/shortcode'],
    ],
    ['UGX with nothing', UGX, {}, 'shortcode is required', ['/shortcode', '/mobile_network']],
    [
      'UGX with a type it has not',
      UGX,
      { type: 'PAYBILL' },
      'type must be one of MOBILE',
      ['/type', '/shortcode', '/mobile_network'],
    ],
    [
      'UGX with the phone of a neighbour',
      UGX,
      { shortcode: '254712345678', mobile_network: 'MTN' },
      'shortcode must be a mobile number such as 0772345678, 256772345678 or +256772345678',
      ['/shortcode'],
    ],
    ['NGN with nothing', NGN, {}, 'account_number is required', ['/account_number', '/bank_code']],
    [
      'NGN with a short account',
      NGN,
      { ...KCB, account_number: '123456789' },
      'account_number must be exactly 10 digits',
      ['/account_number'],
    ],
    ['GHS with nothing', GHS, {}, 'shortcode is required', ['/shortcode', '/mobile_network']],
    ['MWK without a type', MWK, { shortcode: '0991234567', mobile_network: 'TNM' }, 'type is required', ['/type']],
    [
      'MWK with an account alone',
      MWK,
      { type: 'BANK_TRANSFER' },
      'account_number is required',
      ['/account_number', '/bank_code', '/bank_name'],
    ],
    ['CDF with nothing', CDF, {}, 'shortcode is required', ['/shortcode', '/mobile_network']],
    ['ETB with nothing', ETB, {}, 'shortcode is required', ['/shortcode', '/mobile_network']],
  ])('refuses %s', (_, currency, fields, message, pointers) => {
    expect(refusalOf(currency, fields)).toEqual({ code: 'invalid_request', message, pointers });
  });

  it('gives each reason its own code', () => {
    expect(refusalOf(KES, { type: 'MOBILE', shortcode: '0712345678', mobile_network: 'MTN' })).toEqual({
      code: 'unsupported_network',
      message: 'mobile_network must be one of Safaricom, Airtel',
      pointers: ['/mobile_network'],
    });
    expect(refusalOf(NGN, { ...KCB, bank_code: '50572' })).toEqual({
      code: 'unknown_bank',
      message: 'bank_code is used by more than one bank, so it names none',
      pointers: ['/bank_code'],
    });
    expect(refusalOf(NGN, { ...KCB, bank_name: 'Zenith Bank' })).toMatchObject({
      code: 'unknown_bank',
      pointers: ['/bank_name'],
    });
    expect(refusalOf(CDF, { shortcode: '0812345678', mobile_network: 'Mpesa', currency: 'EUR' })).toEqual({
      code: 'unsupported_currency',
      message: 'currency must be one of CDF, USD',
      pointers: ['/currency'],
    });
  });

  it('lists every fault there is, each once', () => {
    expect(refusalOf(NGN, { account_number: 'x', bank_code: 'x', account_name: ['x'], bank_name: 5 }).pointers).toEqual(
      ['/account_number', '/bank_code', '/bank_name', '/account_name'],
    );
    expect(refusalOf(KES, { type: 'CASH', account_name: 5 }).pointers).toEqual([
      '/type',
      '/shortcode',
      '/account_name',
    ]);
    expect(refusalOf(CDF, { shortcode: 'x', mobile_network: 'x', account_name: 5, currency: 5 }).pointers).toEqual([
      '/shortcode',
      '/mobile_network',
      '/account_name',
      '/currency',
    ]);
  });

  it('reads what it answered as itself', () => {
    const number = fc.stringMatching(/^[17]\d{8}$/);
    fc.assert(
      fc.property(
        number,
        fc.constantFrom('', '0', '254', '+254'),
        fc.constantFrom('M-Pesa', 'airtel money', 'SAFARICOM'),
        (national, prefix, mobile_network) => {
          const once = valueOf(
            parseNameRequest(KES, { type: 'mobile', shortcode: prefix + national, mobile_network }),
          ).destination;
          expect(askedFor(KES, fieldsOfDestination(once))).toEqual(once);
        },
      ),
    );
  });
});
