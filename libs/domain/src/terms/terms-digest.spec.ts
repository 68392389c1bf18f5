import { describe, expect, it } from '@jest/globals';

import { CURRENCIES, type Currencies } from '../currency/registry.js';
import { applyTerms, defaultTerms } from './terms.js';
import { termsDigest } from './terms-digest.js';

function termsOf(json: unknown): Currencies {
  const terms = applyTerms(CURRENCIES, json);
  if (!terms.ok) throw new Error(terms.error);
  return terms.value;
}

const LIMIT = { operation: 'payout', currency: 'KES', type: 'MOBILE', max: '70000' };
const FEE = { operation: 'disburse', currency: 'NGN', flat: '10.50', basis_points: 75 };

describe('the digest of terms', () => {
  it('is of limits and fees, however they were written', () => {
    const one = termsDigest(termsOf({ limits: [LIMIT], service_fees: [FEE] }));
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(
      termsDigest(
        termsOf({
          service_fees: [{ ...FEE, flat: '10.5' }],
          limits: [
            { ...LIMIT, max: '60000' },
            { ...LIMIT, max: '70000.00' },
          ],
        }),
      ),
    ).toBe(one);
    expect(termsDigest(termsOf({}))).toBe(termsDigest(CURRENCIES));
  });

  it('is another for every limit and every fee', () => {
    const files = [
      {},
      { limits: [LIMIT] },
      { limits: [{ ...LIMIT, max: '70001' }] },
      { limits: [{ ...LIMIT, min: '50' }] },
      { limits: [{ ...LIMIT, type: 'BUY_GOODS' }] },
      { limits: [{ operation: 'payout', currency: 'CDF', max: '600' }] },
      { limits: [{ operation: 'payout', currency: 'CDF', paid_in: 'USD', max: '300' }] },
      { limits: [{ operation: 'bank_transfer', currency: 'KES', max: '150000' }] },
      { service_fees: [FEE] },
      { service_fees: [{ ...FEE, basis_points: 76 }] },
      { service_fees: [{ ...FEE, flat: '10.51' }] },
      { service_fees: [{ ...FEE, operation: 'bank_transfer' }] },
    ];
    const digests = [...files.map((file) => termsDigest(termsOf(file))), termsDigest(defaultTerms('live'))];
    expect(new Set(digests).size).toBe(files.length + 1);
  });
});
