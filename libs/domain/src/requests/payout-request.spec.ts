import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CURRENCIES } from '../currency/registry.js';
import { parseDisburse } from './payout-request.js';
import { destinationOf, refusalOf } from './payout-request.spec-support.js';
import { bodyOf } from './requests.spec-support.js';
import { money } from '../money/money.js';

const { KES } = CURRENCIES;
const MOBILE = { type: 'MOBILE', amount: '500', shortcode: '0712345678', mobile_network: 'Safaricom' };
const PAYBILL = { type: 'PAYBILL', amount: '500', shortcode: '888880', account_number: 'INV-0042' };
const TILL = { type: 'BUY_GOODS', amount: '500', shortcode: '54321' };
const BANK = { type: 'BANK_TRANSFER', amount: '500.50', account_number: '1234567890', bank_code: '522522' };

describe('parseDisburse', () => {
  it('answers each kind of recipient canonically, and whatever else was sent not at all', () => {
    expect(
      destinationOf({
        ...MOBILE,
        shortcode: '+254712345678',
        mobile_network: 'm-pesa',
        account_number: 5,
        bank_code: 7,
      }),
    ).toEqual({
      kind: 'mobile',
      phone: '+254712345678',
      mobile_network: 'Safaricom',
    });
    expect(destinationOf({ ...MOBILE, shortcode: '733123456', mobile_network: 'AIRTEL MONEY' })).toMatchObject({
      mobile_network: 'Airtel',
    });
    expect(destinationOf({ ...PAYBILL, mobile_network: 'Vodacom' })).toEqual({
      kind: 'paybill',
      shortcode: '888880',
      account_number: 'INV-0042',
    });
    expect(destinationOf({ ...TILL, account_number: 'x y' })).toEqual({ kind: 'till', shortcode: '54321' });
    expect(destinationOf(BANK)).toEqual({
      kind: 'bank',
      account_number: '1234567890',
      bank_code: '01',
      bank_name: 'KCB Bank Kenya',
    });
  });

  it('answers amount and fee in minor units, and the common fields', () => {
    expect(
      parseDisburse(
        KES,
        bodyOf(
          '{"type":"till","amount":500,"fee":"12.00","shortcode":"54321","reference":"r-1","callback_url":"https://x/y","account_name":"A"}',
        ),
      ),
    ).toEqual({
      ok: true,
      value: {
        amount: money(500_00n, 'KES'),
        fee: money(12_00n, 'KES'),
        destination: { kind: 'till', shortcode: '54321' },
        reference: 'r-1',
        callbackUrl: 'https://x/y',
      },
    });
    const plain = parseDisburse(KES, { ...TILL, fee: null, reference: '', callback_url: '' });
    expect(plain).toEqual({
      ok: true,
      value: {
        amount: money(500_00n, 'KES'),
        fee: money(0n, 'KES'),
        destination: { kind: 'till', shortcode: '54321' },
      },
    });
  });

  it.each(['MOBILE', 'mobile', 'Mobile'])('takes the type %s', (type) =>
    expect(destinationOf({ ...MOBILE, type })).toMatchObject({ kind: 'mobile' }),
  );
  it.each(['TILL', 'till', 'buy goods', 'BuyGoods'])('takes %s for BUY_GOODS', (type) =>
    expect(destinationOf({ ...TILL, type })).toMatchObject({ kind: 'till' }),
  );

  it.each([
    ['without a type', { ...MOBILE, type: '' }, 'type is required', ['/type']],
    [
      'with another type',
      { ...MOBILE, type: 'CASH' },
      'type must be one of MOBILE, PAYBILL, BUY_GOODS, BANK_TRANSFER',
      ['/type'],
    ],
    [
      'with another type and more',
      { type: 'CASH', reference: 'a b' },
      'type must be one of MOBILE, PAYBILL, BUY_GOODS, BANK_TRANSFER',
      ['/type', '/amount', '/reference'],
    ],
    ['without a phone', { ...MOBILE, shortcode: null }, 'shortcode is required', ['/shortcode']],
    ['without a network', { ...MOBILE, mobile_network: undefined }, 'mobile_network is required', ['/mobile_network']],
    [
      'with a till for a phone',
      { ...MOBILE, shortcode: '54321' },
      'shortcode must be a mobile number such as 0712345678, 254712345678 or +254712345678',
      ['/shortcode'],
    ],
    [
      'with a phone as a number',
      { ...MOBILE, shortcode: bodyOf('{"n":254712345678}')['n'] },
      'shortcode must be a string, not a number',
      ['/shortcode'],
    ],
    ['with a short till', { ...TILL, shortcode: '1234' }, 'shortcode must be 5 to 7 digits', ['/shortcode']],
    ['with a long till', { ...TILL, shortcode: '12345678' }, 'shortcode must be 5 to 7 digits', ['/shortcode']],
    [
      'without a paybill account',
      { ...PAYBILL, account_number: '' },
      'account_number is required',
      ['/account_number'],
    ],
    [
      'with a paybill account M-PESA would cut',
      { ...PAYBILL, account_number: '01129000000001' },
      'account_number must be 1 to 13 letters, digits, inner spaces or the characters . _ / # -',
      ['/account_number'],
    ],
    ['with a bank but no code', { ...BANK, bank_code: '' }, 'bank_code is required', ['/bank_code']],
    ['with cents to a till', { ...TILL, amount: '500.50' }, 'amount must be a whole number', ['/amount']],
    ['with cents of a fee to a till', { ...TILL, fee: '0.50' }, 'fee must be a whole number', ['/fee']],
    [
      'with an exponent',
      { ...TILL, ...bodyOf('{"amount":5e2}') },
      'amount must be a decimal number such as 100 or 100.50, without sign, exponent, space or separator',
      ['/amount'],
    ],
    ['with a fee of all', { ...TILL, fee: '500' }, 'fee must be at least 0 and less than amount', ['/fee']],
    ['with a fee below zero', { ...TILL, fee: '-1' }, 'fee must be at least 0 and less than amount', ['/fee']],
    [
      'with a name that is none',
      { ...TILL, account_name: ['A'] },
      'account_name must be a string, not an array',
      ['/account_name'],
    ],
  ])('refuses a request %s', (_, fields, message, pointers) => {
    expect(refusalOf(fields)).toEqual({ code: 'invalid_request', message, pointers });
  });

  it('says which networks there are', () => {
    expect(refusalOf({ ...MOBILE, mobile_network: 'Telkom' })).toEqual({
      code: 'unsupported_network',
      message: 'mobile_network must be one of Safaricom, Airtel',
      pointers: ['/mobile_network'],
    });
    expect(refusalOf({ ...BANK, bank_code: '30' }).code).toBe('unknown_bank');
    expect(refusalOf({ ...TILL, callback_url: 5 }).code).toBe('invalid_callback_url');
  });

  it.each([MOBILE, PAYBILL, TILL, BANK])(
    'keeps to 20 and 250,000 for $type, in the words clients search for',
    (request) => {
      for (const amount of ['20', '250000', '20.00']) expect(parseDisburse(KES, { ...request, amount }).ok).toBe(true);
      for (const amount of ['19', '0', '-5']) {
        expect(refusalOf({ ...request, amount })).toEqual({
          code: 'amount_out_of_range',
          message: 'The amount field must be at least 20',
          pointers: ['/amount'],
        });
      }
      expect(refusalOf({ ...request, amount: '250001' })).toEqual({
        code: 'amount_out_of_range',
        message: 'amount must be at most 250,000 KES',
        pointers: ['/amount'],
      });
    },
  );

  it.each([MOBILE, PAYBILL, TILL])('names the limit, and not the decimals, where $type takes neither', (request) => {
    for (const sent of [{ amount: '19.50' }, bodyOf('{"amount":19.99}'), bodyOf('{"amount":0.5}')]) {
      expect(refusalOf({ ...request, ...sent })).toEqual({
        code: 'amount_out_of_range',
        message: 'The amount field must be at least 20',
        pointers: ['/amount'],
      });
    }
    for (const amount of ['250000.01', '9'.repeat(60)]) {
      expect(refusalOf({ ...request, amount })).toEqual({
        code: 'amount_out_of_range',
        message: 'amount must be at most 250,000 KES',
        pointers: ['/amount'],
      });
    }
    for (const amount of ['20.50', '249999.99'])
      expect(refusalOf({ ...request, amount })).toMatchObject({
        code: 'invalid_request',
        message: 'amount must be a whole number',
      });
  });

  it('sends no network less than it takes: what is left of the amount counts', () => {
    expect(parseDisburse(KES, { ...MOBILE, amount: '20', fee: '10' }).ok).toBe(true);
    expect(refusalOf({ ...MOBILE, amount: '20', fee: '11' })).toEqual({
      code: 'amount_out_of_range',
      message:
        'The amount field must be at least 21: the recipient gets amount less fee, and Safaricom takes no less than 10 KES',
      pointers: ['/amount'],
    });
    expect(parseDisburse(KES, { ...MOBILE, mobile_network: 'Airtel', amount: '20', fee: '19' }).ok).toBe(true);
    expect(parseDisburse(KES, { ...TILL, amount: '20', fee: '19' }).ok).toBe(true);
    expect(parseDisburse(KES, { ...BANK, amount: '20', fee: '19' }).ok).toBe(true);
    expect(parseDisburse(KES, { ...BANK, amount: '20', fee: '19.01' }).ok).toBe(false);
  });

  it('judges what every kind needs where the type or the wallet cannot be read', () => {
    expect(refusalOf({}).pointers).toEqual(['/type', '/amount']);
    expect(refusalOf({ type: 'zz', amount: 'abc', fee: 'x', reference: 'a b' }).pointers).toEqual([
      '/type',
      '/amount',
      '/fee',
      '/reference',
    ]);
    expect(refusalOf({ amount: '19' })).toMatchObject({ message: 'type is required', pointers: ['/type', '/amount'] });
    expect(refusalOf({ type: 'PAYBILL', shortcode: '1' }, CURRENCIES.UGX).pointers).toEqual([
      '/type',
      '/amount',
      '/shortcode',
      '/mobile_network',
    ]);
    expect(
      refusalOf({ currency: 'EUR', amount: 'x', shortcode: '1', mobile_network: 'zz' }, CURRENCIES.CDF),
    ).toMatchObject({
      code: 'unsupported_currency',
      pointers: ['/currency', '/amount', '/shortcode', '/mobile_network'],
    });
    // Valid for one of the wallets.
    const phone = { shortcode: '0991234567', mobile_network: 'Airtel Money' };
    for (const amount of ['1', '1000000'])
      expect(refusalOf({ ...phone, currency: 'EUR', amount }, CURRENCIES.CDF).pointers).toEqual(['/currency']);
    for (const amount of ['0.99', '1000000.01'])
      expect(refusalOf({ ...phone, currency: 'EUR', amount }, CURRENCIES.CDF).pointers).toEqual([
        '/currency',
        '/amount',
      ]);
  });

  it('writes a least amount without thousands, for clients that read it', () => {
    expect(
      refusalOf({ amount: '1000', fee: '501', shortcode: '0772345678', mobile_network: 'MTN' }, CURRENCIES.UGX).message,
    ).toMatch(/^The amount field must be at least 1001:/);
  });

  it('lists every fault, money first', () => {
    expect(
      refusalOf({ ...MOBILE, amount: '5', fee: 'x', shortcode: '1', mobile_network: 'y', reference: 'a b' }).pointers,
    ).toEqual(['/amount', '/fee', '/shortcode', '/mobile_network', '/reference']);
  });

  it('accepts every request within the rules', () => {
    const whole = fc.integer({ min: 20, max: 250_000 });
    const recipient = fc.oneof(
      fc.record({
        type: fc.constant('MOBILE'),
        shortcode: fc.stringMatching(/^(|0|254|\+254)[17]\d{8}$/),
        mobile_network: fc.constantFrom('Safaricom', 'Airtel'),
      }),
      fc.record({
        type: fc.constant('PAYBILL'),
        shortcode: fc.stringMatching(/^\d{5,7}$/),
        account_number: fc.stringMatching(/^[A-Za-z0-9]{1,13}$/),
      }),
      fc.record({ type: fc.constant('TILL'), shortcode: fc.stringMatching(/^\d{5,7}$/) }),
    );
    fc.assert(
      fc.property(recipient, whole, fc.nat(), fc.boolean(), (fields, amount, some, asText) => {
        const fee = some % (amount - 9);
        const parsed = parseDisburse(KES, {
          ...fields,
          ...(asText ? { amount: String(amount), fee: `${fee}.00` } : bodyOf(`{"amount":${amount},"fee":${fee}.0}`)),
        });
        expect(parsed).toMatchObject({
          ok: true,
          value: { amount: { minor: BigInt(amount) * 100n }, fee: { minor: BigInt(fee) * 100n } },
        });
      }),
    );
  });

  it('never throws, and what it accepts is within every rule, whatever is sent', () => {
    const amount = fc.oneof(fc.anything(), fc.stringMatching(/^-?\d{1,7}(\.\d{1,3})?$/));
    const fields = fc.record(
      {
        type: fc.oneof(fc.anything(), fc.constantFrom('MOBILE', 'paybill', 'TILL', 'BUY_GOODS', 'bank_transfer')),
        amount,
        fee: amount,
        shortcode: fc.oneof(fc.anything(), fc.stringMatching(/^(\+?254|0)?[17]?\d{5,9}$/)),
        account_number: fc.oneof(fc.anything(), fc.stringMatching(/^[\dA-Z-]{1,22}$/)),
        mobile_network: fc.oneof(fc.anything(), fc.constantFrom('Safaricom', 'airtel', 'M-PESA')),
        bank_code: fc.oneof(fc.anything(), fc.constantFrom('01', '30', '522522')),
        account_name: fc.oneof(fc.anything(), fc.string()),
        reference: fc.anything(),
        callback_url: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (sent) => {
        const parsed = parseDisburse(KES, sent);
        if (!parsed.ok) {
          expect(parsed.error.message).toBe(parsed.error.faults?.[0]?.detail);
          return;
        }
        const {
          amount: { minor: amountMinor },
          fee: { minor: feeMinor },
          destination,
        } = parsed.value;
        expect(amountMinor >= 20_00n && amountMinor <= 250_000_00n).toBe(true);
        expect(feeMinor >= 0n && feeMinor < amountMinor).toBe(true);
        if (destination.kind !== 'bank') expect([amountMinor % 100n, feeMinor % 100n]).toEqual([0n, 0n]);
        if (destination.kind === 'mobile') expect(destination.phone).toMatch(/^\+254[17]\d{8}$/);
        else if (destination.kind !== 'bank') expect(destination.shortcode).toMatch(/^\d{5,7}$/);
      }),
      { numRuns: 2_000 },
    );
  });
});
