import { createHmac } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { callbackHeaders } from '../../callback-path.js';
import { faultOfSignature } from './signature.js';

const KEY = 'sk_live_0123456789abcdef';
const BODY = Buffer.from('{"event":"transfer.success"}');
const SIGNATURE = createHmac('sha512', KEY).update(BODY).digest('hex');

const faultOf = (headers: Record<string, string | string[] | undefined>, key = KEY): string =>
  faultOfSignature({ method: 'POST', host: 'pay.example.com', path: '/', headers, body: BODY }, key);

describe("Paystack's signature", () => {
  it('is read of headers as the inbox keeps them, a list each', () => {
    expect(faultOf(callbackHeaders([['X-Paystack-Signature', SIGNATURE]]))).toBe('');
    expect(faultOf(callbackHeaders([['X-Paystack-Signature', SIGNATURE]]), `${KEY}0`)).toMatch('not of this body');
  });

  it('is read of headers with one text each', () => {
    expect(faultOf({ 'x-paystack-signature': SIGNATURE.toUpperCase() })).toBe('');
  });

  it('counts once only', () => {
    const twice: [string, string][] = [
      ['x-paystack-signature', SIGNATURE],
      ['x-paystack-signature', SIGNATURE],
    ];
    for (const headers of [{}, callbackHeaders(twice), { 'x-paystack-signature': undefined }])
      expect(faultOf(headers)).toBe('not one x-paystack-signature');
    expect(faultOf({ 'x-paystack-signature': SIGNATURE, 'X-PAYSTACK-SIGNATURE': SIGNATURE })).toMatch('not one');
  });
});
