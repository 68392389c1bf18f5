import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ServiceFee } from '../currency/currency.js';
import { CURRENCIES, WALLET_CURRENCIES, type Currencies } from '../currency/registry.js';
import { serviceFee, serviceFeeTerms, type FeeOperation } from './service-fee.js';
import { money } from '../money/money.js';

const { KES } = CURRENCIES;
const OPERATIONS: readonly FeeOperation[] = ['bank_transfer', 'disburse', 'pay'];

function withFee(fee: ServiceFee): Currencies {
  if (KES.bankTransfer === null) throw new Error('not offered');
  return { ...CURRENCIES, KES: { ...KES, bankTransfer: { ...KES.bankTransfer, serviceFee: fee } } };
}

describe('serviceFee', () => {
  it('is 30.00 for a KES bank transfer in the sandbox, and nothing else costs', () => {
    for (const wallet of WALLET_CURRENCIES) {
      for (const operation of OPERATIONS) {
        expect(serviceFee(operation, money(100_00n, wallet)).minor).toBe(
          wallet === 'KES' && operation === 'bank_transfer' ? 30_00n : 0n,
        );
      }
    }
  });

  it('is flat plus basis points, rounded up to a minor unit', () => {
    const terms = withFee({ flatMinor: 5n, basisPoints: 150n });
    expect(serviceFee('bank_transfer', money(10_000n, 'KES'), terms).minor).toBe(155n);
    expect(serviceFee('bank_transfer', money(10_001n, 'KES'), terms).minor).toBe(156n);
    expect(serviceFee('bank_transfer', money(0n, 'KES'), terms).minor).toBe(5n);
    expect(() => serviceFee('bank_transfer', money(-1n, 'KES'), terms).minor).toThrow(RangeError);
  });

  it('of a disburse is that of the wallet it leaves, whichever currency is paid in it', () => {
    const [inFrancs, ...others] = CURRENCIES.CDF.payouts;
    const dollars = { flatMinor: 50n, basisPoints: 0n };
    const terms: Currencies = {
      ...CURRENCIES,
      CDF: {
        ...CURRENCIES.CDF,
        payouts: [inFrancs, ...others.map((payouts) => ({ ...payouts, serviceFee: dollars }))],
      },
    };
    expect(serviceFeeTerms('USD', 'disburse', terms)).toBe(dollars);
    expect(serviceFee('disburse', money(100_00n, 'CDF'), terms).minor).toBe(0n);
    expect(serviceFee('bank_transfer', money(100_00n, 'USD'), terms).minor).toBe(0n);
    expect(serviceFee('pay', money(100_00n, 'USD'), terms).minor).toBe(0n);
  });

  it('never falls as the amount grows, and is less than one unit above the exact fee', () => {
    const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(amount, amount, fc.bigInt({ min: 0n, max: 10_000n }), (a, more, basisPoints) => {
        const terms = withFee({ flatMinor: 0n, basisPoints });
        const fee = serviceFee('bank_transfer', money(a, 'KES'), terms).minor;
        expect(serviceFee('bank_transfer', money(a + more, 'KES'), terms).minor >= fee).toBe(true);
        expect(fee * 10_000n >= a * basisPoints).toBe(true);
        expect(fee === 0n || (fee - 1n) * 10_000n < a * basisPoints).toBe(true);
      }),
    );
  });
});
