import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { PhoneRule } from './currency/currency.js';
import { localPhone } from './phone.js';

const KENYA: PhoneRule = { pattern: /^[17]\d{8}$/, rule: 'a mobile number', bareAccepted: true };
const local = (text: string): string | null => localPhone(text, '254', KENYA);

describe('localPhone', () => {
  it.each(['0712345678', '254712345678', '+254712345678', '712345678'])('knows one number as %s', (text) => {
    expect(local(text)).toBe('0712345678');
  });

  it.each([
    '', '0', '+', '071234567', '07123456789', '0212345678', '2540712345678', '+0712345678', '00254712345678', '256712345678',
    ' 0712345678', '0712345678\n', '0712 345 678', '0712-345678', '٠٧١٢٣٤٥٦٧٨', '０７１２３４５６７８', '++254712345678', '0712345678x',
  ])('refuses %j', (text) => {
    expect(local(text)).toBeNull();
  });

  it('takes the bare number only where the country does', () => {
    expect(localPhone('712345678', '256', { ...KENYA, bareAccepted: false })).toBeNull();
    expect(localPhone('+256712345678', '256', { ...KENYA, bareAccepted: false })).toBe('0712345678');
  });

  it('answers every spelling of a number the same, and what it answers as itself', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[17]\d{8}$/), fc.constantFrom('', '0', '254', '+254'), (national, prefix) => {
        expect(local(prefix + national)).toBe(`0${national}`);
        expect(local(`0${national}`)).toBe(`0${national}`);
      }),
    );
  });

  it('answers ten digits or nothing, whatever is sent', () => {
    const almost = fc.stringMatching(/^[+0-9 ]{0,15}$/);
    fc.assert(
      fc.property(fc.oneof(almost, fc.string({ unit: 'binary' })), (text) => {
        const found = local(text);
        if (found === null) return;
        expect(found).toMatch(/^0[17]\d{8}$/);
        expect(text.endsWith(found.slice(1))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
