import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { MATRIX_MARKERS, readmeMatrix, withMatrix } from './matrix.js';

const README = readFileSync(join(import.meta.dirname, '../../../../README.md'), 'utf8');

function row(currency: string, recipient: RegExp): string[] {
  const rows = readmeMatrix()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const found = rows.filter(([first, second]) => first === currency && recipient.test(second ?? ''));
  expect(found).toHaveLength(1);
  return found[0] ?? [];
}

describe('the matrix of the README', () => {
  it('is what npm run generate writes', () => {
    expect(withMatrix(README)).toBe(README);
  });

  it('is put right where it is stale, and needs its place', () => {
    expect(README).toContain('phone: Airtel Money, TNM Mpamba');
    expect(withMatrix(README.replace('phone: Airtel Money, TNM Mpamba', 'phone: TNM'))).toBe(README);
    expect(() => withMatrix('# Vuka')).toThrow(MATRIX_MARKERS.begin);
  });

  // decisions.md section 3, by hand.
  it('says what may be paid to whom, and what has to be sent', () => {
    expect(row('KES', /phone/)).toEqual([
      'KES',
      'phone: Safaricom, Airtel',
      '–',
      '20 – 250,000 *whole*<br>`type: MOBILE` `shortcode` `mobile_network`',
      'as `disburse`, and `transaction_hash`',
      '`type: MOBILE` `shortcode` `mobile_network`',
    ]);
    expect(row('KES', /bank/).slice(2)).toEqual([
      '100 – 250,000<br>`account_number` `bank_code`',
      '20 – 250,000<br>`type: BANK_TRANSFER` `account_number` `bank_code`',
      'as `disburse`, and `transaction_hash`',
      '–',
    ]);
    expect(row('UGX', /phone/)[3]).toBe('500 – 5,000,000 *whole*<br>`shortcode` `mobile_network`');
    expect(row('NGN', /bank/).slice(2, 4)).toEqual([
      '100 – 1,000,000<br>`account_number` `bank_code`',
      '100 – 1,000,000<br>`account_name` `account_number` `bank_code` `bank_name`',
    ]);
    expect(row('CDF', /phone/)[3]).toBe('500 – 1,000,000, Mpesa *whole*<br>`shortcode` `mobile_network`');
    expect(row('CDF in USD', /phone/)[3]).toBe('1 – 400<br>`shortcode` `mobile_network` `currency: USD`');
  });
});
