import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { money, type Money } from '../money/money.js';
import { parseAccountName } from './accounts.js';
import type { PostingFacts } from './facts.js';
import { postingLegs, postingReference, POSTINGS, type PostingName } from './postings.js';

const kes = (minor: bigint): Money => money(minor, 'KES');
const usdc = (minor: bigint): Money => money(minor, 'USDC@BNB');

const FACTS: Required<PostingFacts> = {
  partner: 1,
  provider: 'sandbox',
  wallet: 'main',
  chain: 'BNB',
  amount: kes(500_00n),
  markup: kes(7_00n),
  serviceFee: kes(30_00n),
  held: kes(534_46n),
  received: usdc(3_900_000n),
  rate: { to: kes(12_935n), from: usdc(1_000_000n) },
  shortfall: kes(2n),
  due: kes(40_00n),
  duplicatePayment: kes(986_00n),
  available: kes(15_00n),
  usedTokens: usdc(3_000_000n),
  credited: kes(388_05n),
  sold: usdc(9n),
  proceeds: kes(8n),
};

const K = 'KES';
const T = 'USDC@BNB';

/** By hand: `from → to amount`. */
const EXPECTED: Readonly<Record<PostingName, readonly string[]>> = {
  sandbox_opened: [`sandbox_funding:${K} → wallet:1:${K} 50000`, `rail:sandbox:main:${K} → sandbox_funding:${K} 50000`],
  sandbox_float_opened: [`rail:sandbox:main:${K} → sandbox_funding:${K} 50000`],
  wallet_topped_up: [`bank:${K} → wallet:1:${K} 50000`],
  wallet_debited: [`wallet:1:${K} → bank:${K} 50000`],
  payout_held: [`wallet:1:${K} → held:1:${K} 53000`],
  deposit_received: [`chain:BNB:${T} → unapplied:1:${T} 3900000`],
  deposit_unapplied: [`chain:BNB:${T} → unapplied:1:${T} 3900000`],
  pay_funded: [`unapplied:1:${T} → fx:${T} 3900000`, `fx:${K} → held:1:${K} 50446`],
  payout_settled: [
    `held:1:${K} → rail:sandbox:main:${K} 49300`,
    `held:1:${K} → fees:${K} 3000`,
    `held:1:${K} → wallet:1:${K} 1146`,
  ],
  shortfall_covered: [`fx:${K} → held:1:${K} 2`],
  payout_released: [`held:1:${K} → wallet:1:${K} 53444`, `held:1:${K} → fx:${K} 2`],
  refund_held: [`held:1:${K} → fx:${K} 53446`, `fx:${T} → refunding:1:${T} 3900000`],
  refund_hold_withdrawn: [`refunding:1:${T} → fx:${T} 3900000`, `fx:${K} → held:1:${K} 53446`],
  payout_reversed: [
    `rail:sandbox:main:${K} → wallet:1:${K} 49298`,
    `rail:sandbox:main:${K} → fx:${K} 2`,
    `fees:${K} → wallet:1:${K} 3000`,
    `wallet:1:${K} → receivable:1:${K} 4000`,
  ],
  duplicate_payment: [`receivable:1:${K} → rail:sandbox:main:${K} 49300`],
  duplicate_payment_returned: [
    `rail:sandbox:main:${K} → wallet:1:${K} 49300`,
    `wallet:1:${K} → receivable:1:${K} 4000`,
  ],
  duplicate_payment_ours: [`suspense:${K} → rail:sandbox:main:${K} 49300`],
  duplicate_payment_ours_returned: [`rail:sandbox:main:${K} → suspense:${K} 49300`],
  duplicate_payment_owed: [`receivable:1:${K} → suspense:${K} 98600`],
  receivable_collected: [`wallet:1:${K} → receivable:1:${K} 1500`],
  deposit_vanished_unpaid: [`held:1:${K} → fx:${K} 53446`, `fx:${T} → chain:BNB:${T} 3900000`],
  deposit_vanished_paid: [`receivable:1:${K} → fx:${K} 50446`, `fx:${T} → chain:BNB:${T} 3900000`],
  order_deposit_vanished: [`receivable:1:${K} → fx:${K} 38805`, `fx:${T} → chain:BNB:${T} 3000000`],
  unapplied_deposit_vanished: [`unapplied:1:${T} → chain:BNB:${T} 3900000`],
  unapplied_deposit_restored: [`chain:BNB:${T} → unapplied:1:${T} 3000000`],
  refunding_deposit_vanished: [`refunding:1:${T} → chain:BNB:${T} 3900000`],
  unapplied_refund_held: [`unapplied:1:${T} → refunding:1:${T} 3900000`],
  refunding_deposit_restored: [`chain:BNB:${T} → refunding:1:${T} 3900000`],
  refund_settled: [`refunding:1:${T} → chain:BNB:${T} 3900000`],
  refund_failed_to_unapplied: [`refunding:1:${T} → unapplied:1:${T} 3900000`],
  refund_failed_to_wallet: [`refunding:1:${T} → fx:${T} 3900000`, `fx:${K} → wallet:1:${K} 50446`],
  refund_settled_owed: [`receivable:1:${K} → fx:${K} 50446`, `fx:${T} → chain:BNB:${T} 3900000`],
  order_settled: [`unapplied:1:${T} → fx:${T} 3000000`, `fx:${K} → wallet:1:${K} 38805`],
  unapplied_credited: [`unapplied:1:${T} → fx:${T} 3900000`, `fx:${K} → wallet:1:${K} 50446`],
  provider_fee: [`rail_cost:${K} → rail:sandbox:main:${K} 50000`],
  provider_fee_returned: [`rail:sandbox:main:${K} → rail_cost:${K} 50000`],
  float_funded: [`rail:sandbox:main:${K} → bank:${K} 50000`],
  float_withdrawn: [`bank:${K} → rail:sandbox:main:${K} 50000`],
  bank_funded: [`bank:${K} → treasury:${K} 50000`],
  bank_withdrawn: [`treasury:${K} → bank:${K} 50000`],
  stablecoin_sold: [`fx:${T} → chain:BNB:${T} 9`, `bank:${K} → fx:${K} 8`],
  stablecoin_bought: [`chain:BNB:${T} → fx:${T} 9`, `fx:${K} → bank:${K} 8`],
  provider_difference: [`suspense:${K} → rail:sandbox:main:${K} 50000`],
  provider_difference_resolved: [`rail:sandbox:main:${K} → suspense:${K} 50000`],
  chain_difference: [`suspense:${T} → chain:BNB:${T} 3900000`],
  chain_difference_resolved: [`chain:BNB:${T} → suspense:${T} 3900000`],
};

const names = Object.keys(POSTINGS) as PostingName[];

describe('postingLegs', () => {
  it.each(names)('%s moves what was worked out by hand', (name) => {
    const legs = postingLegs(name, FACTS).map(({ from, to, amount }) => `${from} → ${to} ${amount.minor.toString()}`);
    expect(legs).toEqual(EXPECTED[name]);
  });

  it('moves one asset on a leg, between two accounts that exist, more than 0: zero per asset by construction', () => {
    const minor = fc.bigInt({ min: 0n, max: 10n ** 30n });
    fc.assert(
      fc.property(fc.constantFrom(...names), minor, minor, minor, (name, amount, received, serviceFee) => {
        const held = kes(amount + serviceFee + 5n);
        const facts = {
          amount: kes(amount),
          markup: kes(0n),
          received: usdc(received),
          serviceFee: kes(serviceFee),
          held,
        };
        for (const leg of postingLegs(name, { ...FACTS, ...facts })) {
          expect(parseAccountName(leg.from).asset).toBe(leg.amount.currency);
          expect(parseAccountName(leg.to).asset).toBe(leg.amount.currency);
          expect(leg.from).not.toBe(leg.to);
          expect(leg.amount.minor > 0n).toBe(true);
        }
      }),
    );
  });

  it('payout_reversed gives back to us what shortfall_covered gave, at most what the provider gives back, and the rest of it is owed', () => {
    const moved = (facts: Partial<PostingFacts>): Record<string, bigint> => {
      const sums: Record<string, bigint> = {};
      for (const { from, to, amount } of postingLegs('payout_reversed', {
        ...FACTS,
        serviceFee: kes(0n),
        due: kes(0n),
        ...facts,
      })) {
        sums[from] = (sums[from] ?? 0n) - amount.minor;
        sums[to] = (sums[to] ?? 0n) + amount.minor;
      }
      return sums;
    };
    // New rule: the markup paid the missing part, and the provider returned 0.01.
    expect(moved({ markup: kes(499_99n), shortfall: kes(0n) })).toEqual({
      [`rail:sandbox:main:${K}`]: -1n,
      [`wallet:1:${K}`]: 1n,
    });
    expect(moved({ markup: kes(499_99n), shortfall: kes(1n) })).toEqual({
      [`rail:sandbox:main:${K}`]: -1n,
      [`fx:${K}`]: 1n,
    });
    // Old rule: all of 5.00 was ours.
    expect(moved({ markup: kes(499_99n), shortfall: kes(5_00n) })).toEqual({
      [`rail:sandbox:main:${K}`]: -1n,
      [`fx:${K}`]: 5_00n,
      [`receivable:1:${K}`]: -4_99n,
    });
    // Our money never pays the partner's debt.
    expect(moved({ markup: kes(0n), shortfall: kes(499_90n), due: kes(40_00n) })).toEqual({
      [`rail:sandbox:main:${K}`]: -500_00n,
      [`fx:${K}`]: 499_90n,
      [`wallet:1:${K}`]: 0n,
      [`receivable:1:${K}`]: 10n,
    });
  });

  it('drops legs of 0', () => {
    expect(
      postingLegs('payout_settled', { ...FACTS, markup: kes(0n), serviceFee: kes(0n), held: kes(500_00n) }),
    ).toHaveLength(1);
    expect(postingLegs('shortfall_covered', { ...FACTS, shortfall: kes(0n) })).toEqual([]);
  });

  it('throws for a missing fact and for what would move backwards', () => {
    expect(() => postingLegs('payout_held', { partner: 1, amount: kes(1n) })).toThrow(
      'the posting needs the fact serviceFee',
    );
    expect(() => postingLegs('payout_held', { amount: kes(1n), serviceFee: kes(0n) })).toThrow(
      'the posting needs the fact partner',
    );
    const { wallet: _, ...noWallet } = FACTS;
    expect(() => postingLegs('payout_settled', noWallet)).toThrow('the posting needs the fact wallet');
    expect(() => postingLegs('payout_settled', { ...FACTS, held: kes(1n) })).toThrow(
      'payout_settled: the rest is below 0',
    );
  });
});

describe('what an amount of a posting is of', () => {
  it('is one thing: two currencies never meet, and no token stands for a currency', () => {
    expect(() => postingLegs('payout_held', { ...FACTS, serviceFee: money(1n, 'UGX') })).toThrow(
      'KES meets one of UGX',
    );
    expect(() => postingLegs('deposit_unapplied', { ...FACTS, received: kes(1n) })).toThrow(
      'KES in the place of a token',
    );
    expect(() => postingLegs('sandbox_float_opened', { ...FACTS, amount: usdc(1n) })).toThrow(
      'USDC@BNB in the place of a currency',
    );
    expect(() => postingLegs('pay_funded', { ...FACTS, received: money(1n, 'USDT@BNB') })).toThrow(
      'USDC@BNB is asked about',
    );
  });
});

describe('postingReference', () => {
  it('is kind, id and number', () => {
    expect(postingReference('hold', 12)).toBe('hold:12');
    expect(postingReference('duplicate-payment', 12n, 2)).toBe('duplicate-payment:12:2');
    expect(() => postingReference('a:b', 1)).toThrow(RangeError);
  });
});
