import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { feeBid } from './fee-bid.js';

const GWEI = 10n ** 9n;
const wei = fc.bigInt({ min: 0n, max: 1_000n * GWEI });

describe('what is bid for gas', () => {
  it('leaves room for the base fee to rise, up to the bound', () => {
    expect(feeBid(500n * GWEI, { baseFee: 25n * GWEI, price: 26n * GWEI, tip: GWEI })).toEqual({
      maxFeePerGas: 51n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(feeBid(300n * GWEI, { baseFee: 200n * GWEI, price: 0n, tip: GWEI })).toEqual({
      maxFeePerGas: 300n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    expect(feeBid(300n * GWEI, { baseFee: 300n * GWEI, price: 0n, tip: 1n })).toBeNull();
  });

  it('is one price where the chain has no base fee', () => {
    expect(feeBid(100n * GWEI, { baseFee: null, price: 10n * GWEI, tip: 0n })).toEqual({
      gasPrice: (115n * GWEI) / 10n + 1n,
    });
    expect(feeBid(100n * GWEI, { baseFee: null, price: 100n * GWEI, tip: 0n })).toBeNull();
  });

  it('never passes the bound, pays for the block of today, and replaces only by raising each part by more than a tenth', () => {
    fc.assert(
      fc.property(wei, wei, wei, wei, (baseFee, tip, maxFee, maxTip) => {
        const over = { maxFeePerGas: maxFee, maxPriorityFeePerGas: maxTip };
        const bid = feeBid(3_000n * GWEI, { baseFee, price: baseFee + tip, tip }, over);
        if (bid === null) return;
        if (!('maxFeePerGas' in bid)) throw new Error('a bid of another kind');
        expect(bid.maxFeePerGas).toBeLessThanOrEqual(3_000n * GWEI);
        expect(bid.maxFeePerGas).toBeGreaterThanOrEqual(baseFee + bid.maxPriorityFeePerGas);
        expect(bid.maxFeePerGas * 10n).toBeGreaterThan(maxFee * 11n);
        expect(bid.maxPriorityFeePerGas * 10n).toBeGreaterThan(maxTip * 11n);
      }),
    );
  });
});
