import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { fromHundredths, hundredths, isBroken, parseLookup, parsePayoutRequest, parseTopUp } from './payout-request.js';

const GOOD = {
  id: 'a-1',
  amount: '100.00',
  currency: 'KES',
  recipient: { account_number: '0110123456789', bank_code: '01' },
};

describe('parsePayoutRequest', () => {
  it('reads a payout; narration is optional and unknown fields are passed over', () => {
    expect(parsePayoutRequest({ ...GOOD, more: 1 })).toEqual({
      id: 'a-1',
      amount: '100.00',
      currency: 'KES',
      recipient: { kind: 'bank', account_number: '0110123456789', bank_code: '01' },
      narration: '',
      order: '',
    });
    expect(parsePayoutRequest({ ...GOOD, order: '4711' })).toMatchObject({ order: '4711' });
  });

  it.each<[string, unknown]>([
    ['body', null],
    ['body', []],
    ['body', 'text'],
    ['recipient', { ...GOOD, recipient: '0110' }],
    ['id', { ...GOOD, id: '' }],
    ['id', { ...GOOD, id: 'a'.repeat(65) }],
    ['id', { ...GOOD, id: 'a/b' }],
    ['order', { ...GOOD, order: '' }],
    ['order', { ...GOOD, order: 4711 }],
    ['order', { ...GOOD, order: null }],
    ['order', { ...GOOD, order: 'o'.repeat(65) }],
    ['amount', { ...GOOD, amount: 100 }],
    ['amount', { ...GOOD, amount: '0.00' }],
    ['amount', { ...GOOD, amount: '-1' }],
    ['amount', { ...GOOD, amount: '1e3' }],
    ['amount', { ...GOOD, amount: '1.001' }],
    ['amount', { ...GOOD, amount: '1'.repeat(16) }],
    ['currency', { ...GOOD, currency: 'kes' }],
    ['account_number', { ...GOOD, recipient: { ...GOOD.recipient, account_number: '01 10' } }],
    ['account_number', { ...GOOD, recipient: { bank_code: '01' } }],
    ['bank_code', { ...GOOD, recipient: { ...GOOD.recipient, bank_code: 1 } }],
    ['kind', { ...GOOD, recipient: { kind: 'cash', shortcode: '5123456' } }],
    ['kind', { ...GOOD, recipient: { kind: 'constructor' } }],
    ['kind', { ...GOOD, recipient: { kind: 1 } }],
    ['shortcode', { ...GOOD, recipient: { kind: 'till', shortcode: '1234' } }],
    ['shortcode', { ...GOOD, recipient: { kind: 'mobile', shortcode: '+254712345678', mobile_network: 'Safaricom' } }],
    ['mobile_network', { ...GOOD, recipient: { kind: 'mobile', shortcode: '0712345678' } }],
    ['account_number', { ...GOOD, recipient: { kind: 'paybill', shortcode: '247247', account_number: '' } }],
    ['narration', { ...GOOD, narration: 'line\nline' }],
  ])('names the field %s of %j', (field, body) => {
    expect(parsePayoutRequest(body)).toMatchObject({ field });
  });

  it.each([
    { kind: 'mobile', shortcode: '0712345678', mobile_network: 'MTN MoMo' },
    { kind: 'paybill', shortcode: '247247', account_number: 'INV #42/a' },
    { kind: 'till', shortcode: '5123456' },
    { kind: 'bank', account_number: '0110', bank_code: '01' },
  ])('reads the recipient %j, and nothing that does not belong to it', (recipient) => {
    expect(parsePayoutRequest({ ...GOOD, recipient: { ...recipient, more: 1 } })).toMatchObject({ recipient });
    expect(parsePayoutRequest({ ...GOOD, recipient: { ...recipient, more: 1 } })).not.toHaveProperty('recipient.more');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (body) => isBroken(parsePayoutRequest(body)) && isBroken(parseTopUp(body)) && isBroken(parseLookup(body)),
      ),
    );
  });
});

describe('parseTopUp', () => {
  it('reads the order, and who is to be paid', () => {
    const { currency, recipient } = GOOD;
    const order = '4711';
    expect(parseTopUp({ ...GOOD, order })).toEqual({ order, currency, recipient: { kind: 'bank', ...recipient } });
    expect(parseTopUp(GOOD)).toMatchObject({ field: 'order' });
    expect(parseTopUp({ ...GOOD, order: 'o/1' })).toMatchObject({ field: 'order' });
    expect(parseTopUp({ ...GOOD, order, recipient: null })).toMatchObject({ field: 'recipient' });
  });
});

describe('parseLookup', () => {
  it.each([
    [GOOD.recipient, { kind: 'bank', ...GOOD.recipient }],
    [
      { kind: 'mobile', shortcode: '0772345678', mobile_network: 'MTN' },
      { kind: 'mobile', shortcode: '0772345678', mobile_network: 'MTN' },
    ],
    [
      { kind: 'paybill', shortcode: '247247' },
      { kind: 'paybill', shortcode: '247247' },
    ],
    [
      { kind: 'paybill', shortcode: '247247', account_number: 'INV 1' },
      { kind: 'paybill', shortcode: '247247' },
    ],
    [
      { kind: 'till', shortcode: '5123456' },
      { kind: 'till', shortcode: '5123456' },
    ],
  ])('reads %j', (recipient, read) => {
    expect(parseLookup({ currency: 'UGX', recipient, more: 1 })).toEqual({ currency: 'UGX', recipient: read });
  });

  it.each<[string, unknown]>([
    ['body', null],
    ['currency', { recipient: GOOD.recipient }],
    ['currency', { currency: 'ugx', recipient: GOOD.recipient }],
    ['recipient', { currency: 'UGX' }],
    ['kind', { currency: 'UGX', recipient: { kind: 'cash' } }],
    ['shortcode', { currency: 'UGX', recipient: { kind: 'paybill', account_number: 'INV 1' } }],
    ['bank_code', { currency: 'UGX', recipient: { account_number: '0110' } }],
  ])('names the field %s of %j', (field, body) => {
    expect(parseLookup(body)).toMatchObject({ field });
  });
});

describe('hundredths', () => {
  it.each([
    ['1', 100n],
    ['12.5', 1_250n],
    ['0.01', 1n],
    ['007.10', 710n],
  ])('of %s', (text, value) => {
    expect(hundredths(text)).toBe(value);
  });

  it('goes there and back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 17n }), (value) => hundredths(fromHundredths(value)) === value),
    );
  });
});
