import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { serviceFee, type ServiceFeePolicy } from './service-fee.js';

describe('serviceFee', () => {
  it('is 30.00 for a KES bank transfer in the sandbox, and nothing else costs', () => {
    expect(serviceFee('KES', 'bank_transfer', 100_00n)).toBe(30_00n);
    expect(serviceFee('KES', 'disburse', 100_00n)).toBe(0n);
    expect(serviceFee('KES', 'pay', 100_00n)).toBe(0n);
    expect(serviceFee('NGN', 'bank_transfer', 100_00n)).toBe(0n);
    expect(serviceFee('MWK', 'bank_transfer', 100_00n)).toBe(0n);
  });

  it('is flat plus basis points, rounded up to a minor unit', () => {
    const policy: ServiceFeePolicy = { bank_transfer: { KES: { flatMinor: 5n, basisPoints: 150n } } };
    expect(serviceFee('KES', 'bank_transfer', 10_000n, policy)).toBe(155n);
    expect(serviceFee('KES', 'bank_transfer', 10_001n, policy)).toBe(156n);
    expect(serviceFee('KES', 'bank_transfer', 0n, policy)).toBe(5n);
    expect(() => serviceFee('KES', 'bank_transfer', -1n, policy)).toThrow(RangeError);
  });

  it('never falls as the amount grows, and is less than one unit above the exact fee', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 0n, max: 10_000n }), (a, more, basisPoints) => {
        const policy: ServiceFeePolicy = { bank_transfer: { KES: { flatMinor: 0n, basisPoints } } };
        const fee = serviceFee('KES', 'bank_transfer', a, policy);
        expect(serviceFee('KES', 'bank_transfer', a + more, policy) >= fee).toBe(true);
        expect(fee * 10_000n >= a * basisPoints).toBe(true);
        expect(fee === 0n || (fee - 1n) * 10_000n < a * basisPoints).toBe(true);
      }),
    );
  });
});
