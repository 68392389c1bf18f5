import { describe, expect, it } from '@jest/globals';

import { behaviourOf, recipientName, SANDBOX_NUMBERS, sandboxNumber } from './sandbox-numbers.js';

describe('sandbox numbers', () => {
  it.each([
    ['0110123456789', '6789'],
    ['0000', '0000'],
    ['12', '12'],
    ['AC-99-0001', '0001'],
    ['constructor', ''],
  ])('of %s is "%s"', (account, number) => {
    expect(sandboxNumber(account)).toBe(number);
  });

  it('decides by the table, and pays all else', () => {
    expect(behaviourOf('0110120000')).toEqual({ ends: 'FAILED', code: 'RECIPIENT_NOT_FOUND' });
    expect(behaviourOf('0110120001')).toEqual({ ends: 'FAILED', code: 'REJECTED' });
    for (const account of ['0110129999', '000', '1', 'toString']) expect(behaviourOf(account)).toEqual({ ends: 'PAID' });
  });

  it('are four digits each', () => {
    for (const number of Object.keys(SANDBOX_NUMBERS)) expect(number).toMatch(/^\d{4}$/);
  });

  it('names the recipient by the digits', () => {
    expect(recipientName('0110123456789')).toBe('TEST 6789');
  });
});
