import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseBankTransfer } from './bank-transfer.js';
import type { Currency } from '../currency/currency.js';
import { CURRENCIES } from '../currency/registry.js';
import { MAX_URL_LENGTH, REFERENCE_PATTERN } from './payout-request.js';
import { bodyOf, refusalOf as refusalIn } from './requests.spec-support.js';
import { money } from '../money/money.js';

const KES = CURRENCIES.KES;
const good = { amount: '500', account_number: '1234567890', bank_code: '01' };

const refusalOf = (fields: Readonly<Record<string, unknown>>, currency: Currency = KES): ReturnType<typeof refusalIn> =>
  refusalIn(parseBankTransfer(currency, fields));

describe('parseBankTransfer', () => {
  it('answers minor units and the canonical bank', () => {
    expect(
      parseBankTransfer(
        KES,
        bodyOf(
          '{"amount":500.50,"account_number":"1234567890","bank_code":"522522","reference":"a.B_1:-","callback_url":"https://x/y","more":{"a":[1]}}',
        ),
      ),
    ).toEqual({
      ok: true,
      value: {
        amount: money(500_50n, 'KES'),
        fee: money(0n, 'KES'),
        destination: { kind: 'bank', account_number: '1234567890', bank_code: '01', bank_name: 'KCB Bank Kenya' },
        reference: 'a.B_1:-',
        callbackUrl: 'https://x/y',
      },
    });
  });

  it('takes "" and null as absent', () => {
    const parsed = parseBankTransfer(KES, { ...good, reference: '', callback_url: null, bank_name: '' });
    expect(parsed).toMatchObject({ ok: true });
    if (parsed.ok) expect(Object.keys(parsed.value)).toEqual(['amount', 'fee', 'destination']);
    expect(refusalOf({ amount: '', account_number: null, bank_code: '' }).pointers).toEqual([
      '/amount',
      '/account_number',
      '/bank_code',
    ]);
  });

  it.each(['100', '100.0', '100.000', '250000', '250000.00', '0100'])('accepts %s as number text or string', (text) => {
    expect(parseBankTransfer(KES, { ...good, amount: text }).ok).toBe(true);
    if (!text.startsWith('0'))
      expect(parseBankTransfer(KES, { ...good, ...bodyOf(`{"amount":${text}}`) }).ok).toBe(true);
  });

  it.each([
    '99.99',
    '99.999',
    '250000.01',
    '250000.001',
    '0',
    '-5',
    '-0',
    '99999999999999999999999999999999',
    '9'.repeat(60),
  ])('says %s is out of range', (text) => {
    expect(refusalOf({ ...good, ...bodyOf(`{"amount":${text}}`) })).toEqual({
      code: 'amount_out_of_range',
      message: 'amount must be between 100 and 250,000 KES',
      pointers: ['/amount'],
    });
  });

  it.each(['1e3', '1E3', '1.5e2', '1000000e-3', '100.001'])('refuses the number %s for its form', (text) => {
    expect(refusalOf({ ...good, ...bodyOf(`{"amount":${text}}`) })).toMatchObject({
      code: 'invalid_request',
      pointers: ['/amount'],
    });
  });

  it.each(['1e3', ' 500', '500 ', '5,000', '+500', 'NaN', 'Infinity', '0x1f4', '٥٠٠', '5'.repeat(5000)])(
    'refuses the string %j',
    (amount) => {
      expect(refusalOf({ ...good, amount })).toMatchObject({ code: 'invalid_request', pointers: ['/amount'] });
    },
  );

  it("refuses an amount of another shape, a client's own object with the parser's members among them", () => {
    const marked = { isLosslessNumber: true };
    for (const amount of [true, [], {}, [500], { ...marked, value: '500' }, { ...marked, toString: 'x' }, 500]) {
      expect(refusalOf({ ...good, amount }).message).toMatch(/^amount must be a number or a decimal string, not an? /);
    }
  });

  it('refuses a bank_code or account_number that is a number: its leading zeros are gone', () => {
    expect(refusalOf({ ...good, ...bodyOf('{"bank_code":1}') })).toEqual({
      code: 'invalid_request',
      message: 'bank_code must be a string, not a number',
      pointers: ['/bank_code'],
    });
    expect(refusalOf({ ...good, ...bodyOf('{"account_number":1234567890}') }).message).toBe(
      'account_number must be a string, not a number',
    );
  });

  it('takes a type only where it is the one it pays, and calls a bad callback URL one', () => {
    expect(refusalOf({ ...good, type: 'MOBILE' }).message).toBe('type must be one of BANK_TRANSFER');
    expect(refusalOf({ ...good, callback_url: 5 }).code).toBe('invalid_callback_url');
    expect(parseBankTransfer(KES, { ...good, type: 'bank_transfer' }).ok).toBe(true);
  });

  it('names the rule of the account number, never the number', () => {
    expect(refusalOf({ ...good, account_number: '12-345' }).message).toBe('account_number must be 4 to 20 digits');
    expect(refusalOf({ ...good, bank_code: '404', account_number: '123456789' }, CURRENCIES.NGN).message).toBe(
      'account_number must be exactly 10 digits',
    );
  });

  it('answers unknown_bank for banks', () => {
    expect(refusalOf({ ...good, bank_code: '30' })).toEqual({
      code: 'unknown_bank',
      message: 'bank_code names Chase Bank (Kenya), which no longer exists',
      pointers: ['/bank_code'],
    });
    expect(refusalOf({ ...good, bank_name: 'Absa Bank Kenya' })).toMatchObject({
      code: 'unknown_bank',
      pointers: ['/bank_name'],
    });
  });

  it('lists every fault and speaks of the first', () => {
    expect(
      refusalOf({
        amount: '5',
        account_number: 'x',
        bank_code: 'zz',
        reference: 'a b',
        callback_url: 'x'.repeat(MAX_URL_LENGTH + 1),
      }),
    ).toEqual({
      code: 'amount_out_of_range',
      message: 'amount must be between 100 and 250,000 KES',
      pointers: ['/amount', '/account_number', '/bank_code', '/reference', '/callback_url'],
    });
  });

  it('refuses references of another form', () => {
    for (const reference of ['a b', 'é', 'a/b', 'x'.repeat(101), 'a\n', 5, true]) {
      expect(refusalOf({ ...good, reference }).pointers).toEqual(['/reference']);
    }
    expect(REFERENCE_PATTERN.test('x'.repeat(100))).toBe(true);
  });

  it('says so where a currency has no bank transfer', () => {
    expect(refusalOf(good, CURRENCIES.UGX).code).toBe('unsupported_currency');
  });

  it('never throws and never accepts an amount outside the limits, whatever is sent', () => {
    const fields = fc.record(
      {
        amount: fc.oneof(fc.anything(), fc.stringMatching(/^\d{1,9}(\.\d{1,3})?$/)),
        account_number: fc.oneof(fc.anything(), fc.stringMatching(/^\d{3,22}$/)),
        bank_code: fc.oneof(fc.anything(), fc.constantFrom('01', '30', '522522')),
        bank_name: fc.anything(),
        reference: fc.anything(),
        callback_url: fc.anything(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fields, (sent) => {
        const parsed = parseBankTransfer(KES, sent);
        if (parsed.ok) {
          expect(parsed.value.amount.minor >= 100_00n && parsed.value.amount.minor <= 250_000_00n).toBe(true);
          expect(parsed.value.destination.account_number).toMatch(/^\d{4,20}$/);
        } else {
          expect(parsed.error.message).toBe(parsed.error.faults?.[0]?.detail);
          expect(parsed.error.faults?.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
