import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { parseAccountName } from './accounts.js';
import type { PostingFacts } from './facts.js';
import { postingLegs, postingReference, POSTINGS, type PostingName } from './postings.js';

/** A surplus of 4.46 on an amount of 500.00 with a markup of 7.00: 3.9 tokens at 129.35. */
const FACTS: Required<PostingFacts> = {
  partner: 1,
  currency: 'KES',
  token: 'USDC@BNB',
  rail: 'sandbox',
  chain: 'BNB',
  amount: 500_00n,
  markup: 7_00n,
  serviceFee: 30_00n,
  held: 534_46n,
  received: 3_900_000n,
  rate: { toMinor: 12_935n, fromMinor: 1_000_000n },
  shortfall: 2n,
  due: 40_00n,
  paidAgain: 986_00n,
  available: 15_00n,
  usedTokens: 3_000_000n,
  credited: 388_05n,
  sold: 9n,
  proceeds: 8n,
};

const K = 'KES';
const T = 'USDC@BNB';

/** What each posting moves, worked out by hand: `from → to amount`. */
const EXPECTED: Readonly<Record<PostingName, readonly string[]>> = {
  P0: [`sandbox_funding:${K} → wallet:1:${K} 50000`, `rail:sandbox:${K} → sandbox_funding:${K} 50000`],
  P0_float: [`rail:sandbox:${K} → sandbox_funding:${K} 50000`],
  P0b: [`bank:${K} → wallet:1:${K} 50000`],
  P0b_debit: [`wallet:1:${K} → bank:${K} 50000`],
  P1: [`wallet:1:${K} → held:1:${K} 53000`],
  P2: [`chain:BNB:${T} → unapplied:1:${T} 3900000`],
  P3: [`chain:BNB:${T} → unapplied:1:${T} 3900000`],
  P4: [`unapplied:1:${T} → fx:${T} 3900000`, `fx:${K} → held:1:${K} 50446`],
  P5: [`held:1:${K} → rail:sandbox:${K} 49300`, `held:1:${K} → fees:${K} 3000`, `held:1:${K} → wallet:1:${K} 1146`],
  P5u: [`fx:${K} → held:1:${K} 2`],
  P6: [`held:1:${K} → wallet:1:${K} 53444`, `held:1:${K} → fx:${K} 2`],
  P7: [`held:1:${K} → fx:${K} 53446`, `fx:${T} → refunding:1:${T} 3900000`],
  P7_unwind: [`refunding:1:${T} → fx:${T} 3900000`, `fx:${K} → held:1:${K} 53446`],
  P8: [
    `rail:sandbox:${K} → wallet:1:${K} 49298`,
    `rail:sandbox:${K} → fx:${K} 2`,
    `fees:${K} → wallet:1:${K} 3000`,
    `wallet:1:${K} → receivable:1:${K} 4000`,
  ],
  P9: [`receivable:1:${K} → rail:sandbox:${K} 49300`],
  P9_unwind: [`rail:sandbox:${K} → wallet:1:${K} 49300`, `wallet:1:${K} → receivable:1:${K} 4000`],
  P9_ours: [`suspense:${K} → rail:sandbox:${K} 49300`],
  P9_ours_unwind: [`rail:sandbox:${K} → suspense:${K} 49300`],
  P9_owed: [`receivable:1:${K} → suspense:${K} 98600`],
  P9c: [`wallet:1:${K} → receivable:1:${K} 1500`],
  P10a: [`held:1:${K} → fx:${K} 53446`, `fx:${T} → chain:BNB:${T} 3900000`],
  P10b: [`receivable:1:${K} → fx:${K} 50446`, `fx:${T} → chain:BNB:${T} 3900000`],
  P10b_order: [`receivable:1:${K} → fx:${K} 38805`, `fx:${T} → chain:BNB:${T} 3000000`],
  P10b_unapplied: [`unapplied:1:${T} → chain:BNB:${T} 3900000`],
  P10b_unapplied_unwind: [`chain:BNB:${T} → unapplied:1:${T} 3000000`],
  P10b_refunding: [`refunding:1:${T} → chain:BNB:${T} 3900000`],
  P11: [`unapplied:1:${T} → refunding:1:${T} 3900000`],
  P10b_refunding_unwind: [`chain:BNB:${T} → refunding:1:${T} 3900000`],
  P12: [`refunding:1:${T} → chain:BNB:${T} 3900000`],
  P12_unapplied: [`refunding:1:${T} → unapplied:1:${T} 3900000`],
  P12_wallet: [`refunding:1:${T} → fx:${T} 3900000`, `fx:${K} → wallet:1:${K} 50446`],
  P12_owed: [`receivable:1:${K} → fx:${K} 50446`, `fx:${T} → chain:BNB:${T} 3900000`],
  P13: [`unapplied:1:${T} → fx:${T} 3000000`, `fx:${K} → wallet:1:${K} 38805`],
  P14: [`unapplied:1:${T} → fx:${T} 3900000`, `fx:${K} → wallet:1:${K} 50446`],
  P15: [`rail_cost:${K} → rail:sandbox:${K} 50000`],
  P16: [`fx:${T} → chain:BNB:${T} 9`, `bank:${K} → fx:${K} 8`, `rail:sandbox:${K} → bank:${K} 50000`],
  P17: [`suspense:${K} → rail:sandbox:${K} 50000`],
  P17_back: [`rail:sandbox:${K} → suspense:${K} 50000`],
  P17_chain: [`suspense:${T} → chain:BNB:${T} 3900000`],
  P17_chain_back: [`chain:BNB:${T} → suspense:${T} 3900000`],
};

const names = Object.keys(POSTINGS) as PostingName[];

describe('postingLegs', () => {
  it.each(names)('%s moves what was worked out by hand', (name) => {
    const legs = postingLegs(name, FACTS).map(({ from, to, amount }) => `${from} → ${to} ${amount.toString()}`);
    expect(legs).toEqual(EXPECTED[name]);
  });

  it('moves one asset on a leg, between two accounts that exist, more than 0: zero per asset by construction', () => {
    const minor = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(fc.constantFrom(...names), minor, minor, minor, (name, amount, received, serviceFee) => {
        const held = amount + serviceFee + 5n;
        for (const leg of postingLegs(name, { ...FACTS, amount, markup: 0n, received, serviceFee, held })) {
          expect(parseAccountName(leg.from).asset).toBe(leg.asset);
          expect(parseAccountName(leg.to).asset).toBe(leg.asset);
          expect(leg.from).not.toBe(leg.to);
          expect(leg.amount > 0n).toBe(true);
        }
      }),
    );
  });

  it('P8 gives back to us what P5u gave, at most what the rail gives back, and the rest of it is owed', () => {
    const moved = (facts: Partial<PostingFacts>): Record<string, bigint> => {
      const sums: Record<string, bigint> = {};
      for (const { from, to, amount } of postingLegs('P8', { ...FACTS, serviceFee: 0n, due: 0n, ...facts })) {
        sums[from] = (sums[from] ?? 0n) - amount;
        sums[to] = (sums[to] ?? 0n) + amount;
      }
      return sums;
    };
    // The rail gave back 0.01 of 500.00: as it is judged now, the markup has paid for what was missing.
    expect(moved({ markup: 499_99n, shortfall: 0n })).toEqual({ [`rail:sandbox:${K}`]: -1n, [`wallet:1:${K}`]: 1n });
    expect(moved({ markup: 499_99n, shortfall: 1n })).toEqual({ [`rail:sandbox:${K}`]: -1n, [`fx:${K}`]: 1n });
    // As it was judged before, all of 5.00 was ours.
    expect(moved({ markup: 499_99n, shortfall: 5_00n })).toEqual({
      [`rail:sandbox:${K}`]: -1n,
      [`fx:${K}`]: 5_00n,
      [`receivable:1:${K}`]: -4_99n,
    });
    // What is ours is never what the partner's debt is paid with.
    expect(moved({ markup: 0n, shortfall: 499_90n, due: 40_00n })).toEqual({
      [`rail:sandbox:${K}`]: -500_00n,
      [`fx:${K}`]: 499_90n,
      [`wallet:1:${K}`]: 0n,
      [`receivable:1:${K}`]: 10n,
    });
  });

  it('drops legs of 0', () => {
    expect(postingLegs('P5', { ...FACTS, markup: 0n, serviceFee: 0n, held: 500_00n })).toHaveLength(1);
    expect(postingLegs('P5u', { ...FACTS, shortfall: 0n })).toEqual([]);
  });

  it('throws for a missing fact and for what would move backwards', () => {
    expect(() => postingLegs('P1', { partner: 1, currency: 'KES', amount: 1n })).toThrow(
      'the posting needs the fact serviceFee',
    );
    expect(() => postingLegs('P1', { currency: 'KES', amount: 1n, serviceFee: 0n })).toThrow(
      'the posting needs the fact partner',
    );
    expect(() => postingLegs('P5', { ...FACTS, held: 1n })).toThrow('P5: the rest is below 0');
  });
});

describe('postingReference', () => {
  it('is kind, id and number', () => {
    expect(postingReference('hold', 12)).toBe('hold:12');
    expect(postingReference('paid-again', 12n, 2)).toBe('paid-again:12:2');
    expect(() => postingReference('a:b', 1)).toThrow(RangeError);
  });
});
