import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { finalityTier, isFinal, isFinalForGood, type FinalityTier } from './finality.js';
import { EVM_CHAINS } from './registry.js';

const evm = (name: string): (typeof EVM_CHAINS)[number] => {
  const chain = EVM_CHAINS.find((one) => one.name === name);
  if (chain === undefined) throw new Error(name);
  return chain;
};

const SMALL = 100_00n;
const USUAL = 2_000_00n;
const said = ({ tag, minDepth }: FinalityTier): readonly [string | null, number] => [tag, minDepth];

describe('finality', () => {
  // By hand from chains.md section 2.
  it.each([
    ['ETHEREUM', [null, 12], [null, 32], ['finalized', 32]],
    ['BASE', [null, 10], ['safe', 10], ['finalized', 10]],
    ['ARBITRUM', [null, 240], ['safe', 240], ['finalized', 240]],
    ['CELO', [null, 12], ['safe', 12], ['finalized', 12]],
    ['POLYGON', ['finalized', 0], ['finalized', 16], ['finalized', 128]],
    ['BNB', ['finalized', 0], ['finalized', 15], ['finalized', 120]],
    ['AVALANCHE', ['finalized', 1], ['finalized', 1], ['finalized', 20]],
  ])('%s: up to USD 100 %j, up to USD 2,000 %j, more %j', (name, small, usual, large) => {
    const { finality } = evm(name);
    for (const cents of [0n, 1n, SMALL]) expect(said(finalityTier(finality, cents))).toEqual(small);
    for (const cents of [SMALL + 1n, USUAL]) expect(said(finalityTier(finality, cents))).toEqual(usual);
    for (const cents of [USUAL + 1n, 10n ** 30n]) expect(said(finalityTier(finality, cents))).toEqual(large);
    expect(finality.version).toBe(1);
  });

  it('counts blocks on top, and a tag at or above the block', () => {
    const { finality } = evm('POLYGON');
    const heights = { latest: 1_016, safe: 1_016, finalized: 1_000 };
    expect(isFinal(finality, USUAL, heights, 1_000)).toBe(true);
    expect(isFinal(finality, USUAL, { ...heights, latest: 1_015 }, 1_000)).toBe(false);
    expect(isFinal(finality, USUAL, { ...heights, finalized: 999 }, 1_000)).toBe(false);
    expect(isFinal(finality, USUAL, { ...heights, latest: 10_000, finalized: null }, 1_000)).toBe(false);
    expect(isFinal(finality, SMALL, { latest: 1_000, safe: null, finalized: 1_000 }, 1_000)).toBe(true);
    expect(isFinal(evm('ETHEREUM').finality, SMALL, { latest: 12, safe: null, finalized: null }, 0)).toBe(true);
    expect(isFinal(evm('ETHEREUM').finality, SMALL, { latest: 11, safe: 11, finalized: 11 }, 0)).toBe(false);
  });

  it('takes a depth for the tag where the chain tells none, and only there', () => {
    const { finality } = evm('CELO');
    expect(isFinal(finality, USUAL, { latest: 300, safe: null, finalized: null }, 0)).toBe(true);
    expect(isFinal(finality, USUAL, { latest: 299, safe: null, finalized: null }, 0)).toBe(false);
    expect(isFinal(finality, USUAL + 1n, { latest: 100_000, safe: null, finalized: null }, 0)).toBe(false);
    expect(isFinal(finality, USUAL, { latest: 100_000, safe: 9, finalized: 9 }, 10)).toBe(false);
  });

  it('is of no block above the tip', () => {
    for (const { finality } of EVM_CHAINS)
      expect(isFinal(finality, 0n, { latest: 9, safe: 10, finalized: 10 }, 10)).toBe(false);
  });

  const height = fc.integer({ min: 0, max: 500 });
  const heightsOf = fc.record({ latest: height, safe: fc.option(height), finalized: fc.option(height) });

  it.each(EVM_CHAINS.map((chain) => [chain.name, chain] as const))(
    '%s: more value is never settled sooner, and time never unsettles',
    (_, { finality }) => {
      const cents = fc.constantFrom(0n, SMALL, SMALL + 1n, USUAL, USUAL + 1n);
      fc.assert(
        fc.property(cents, cents, heightsOf, height, fc.nat(500), (one, other, heights, block, more) => {
          // A node that reports a final block also has it as safe.
          const finalized = heights.finalized;
          const safe = heights.safe === null || finalized === null ? heights.safe : Math.max(heights.safe, finalized);
          const sane = { latest: Math.max(heights.latest, safe ?? 0, finalized ?? 0), safe, finalized };
          const [less, greater] = one < other ? [one, other] : [other, one];
          if (isFinal(finality, greater, sane, block)) expect(isFinal(finality, less, sane, block)).toBe(true);
          const later = {
            latest: sane.latest + more,
            safe: safe === null ? null : safe + more,
            finalized: finalized === null ? null : finalized + more,
          };
          if (isFinal(finality, one, sane, block)) expect(isFinal(finality, one, later, block)).toBe(true);
          if (!isFinalForGood(finality, sane, block)) return;
          expect([isFinal(finality, 10n ** 30n, sane, block), isFinalForGood(finality, later, block)]).toEqual([
            true,
            true,
          ]);
          expect(sane.finalized === null || block <= sane.finalized).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );

  it.each(EVM_CHAINS.map((chain) => [chain.name, chain] as const))(
    '%s: a rule ends without limit, and what it waits for comes before the search ends',
    (_, { finality, blockMs, searchForMs }) => {
      const limits = finality.tiers.map(({ maxUsdCents }) => maxUsdCents);
      expect(limits).toEqual([SMALL, USUAL, null]);
      // The alarm comes before deposits are given up.
      expect(finality.maxTagLagMs).toBeLessThan(searchForMs);
      for (const { minDepth, depthWithoutTag } of finality.tiers)
        expect(Math.max(minDepth, depthWithoutTag ?? 0) * blockMs).toBeLessThan(searchForMs);
    },
  );

  it('has no answer for a rule that ends with a limit', () => {
    const { finality } = evm('BASE');
    expect(() => finalityTier({ ...finality, tiers: finality.tiers.slice(0, 2) }, USUAL + 1n)).toThrow('without limit');
  });
});
