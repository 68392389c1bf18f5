import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { subtract } from '../money/money.js';
import { convertFloor } from '../money/rate.js';
import { happen } from './happen.spec-support.js';
import { triggers } from './triggers.spec-support.js';
import {
  ACCOUNT,
  balance,
  brokenRule,
  shortfallOf,
  start,
  type Amounts,
  type World,
  kes,
  usdc,
  rateOf,
} from './world.spec-support.js';
import { isTerminal, PUBLIC_STATUS_FOLLOWERS, TRANSACTION_STATES, type FundedBy } from './states.js';

const WALLET: Amounts = {
  amount: kes(500_00n),
  markup: kes(7_00n),
  serviceFee: kes(30_00n),
  received: usdc(0n),
  rate: rateOf(1n, 1n),
};
/** 6 decimals at 129.35: 3.9 tokens give 504.46 (surplus), 3.865 give 499.93 (short within tolerance). */
const RATE = rateOf(12_935n, 1_000_000n);
const SURPLUS: Amounts = {
  amount: kes(500_00n),
  markup: kes(7_00n),
  serviceFee: kes(0n),
  received: usdc(3_900_000n),
  rate: RATE,
};
const SHORT: Amounts = { ...SURPLUS, markup: kes(3n), received: usdc(3_865_000n) };
/** The recipient gets 0.01 of 500.00; 0.07 are missing. */
const NEARLY_ALL_MARKUP: Amounts = { ...SHORT, markup: kes(499_99n) };

const SCENARIOS: readonly (readonly [string, FundedBy, boolean, Amounts])[] = [
  ['wallet-funded', 'wallet', false, WALLET],
  ['deposit-funded, surplus, refund address', 'deposit', true, SURPLUS],
  ['deposit-funded, short within tolerance by more than its markup, no refund address', 'deposit', false, SHORT],
  ['deposit-funded, short within tolerance, its markup nearly all', 'deposit', false, NEARLY_ALL_MARKUP],
  [
    'deposit-funded, the same as it was judged before the markup paid first',
    'deposit',
    false,
    { ...NEARLY_ALL_MARKUP, oldShortfall: true },
  ],
  ['deposit-funded, short within tolerance by more than its markup, refund address', 'deposit', true, SHORT],
  ['deposit-funded, short within tolerance, its markup nearly all, refund address', 'deposit', true, NEARLY_ALL_MARKUP],
];

/** Worlds with equal keys behave alike for ever. */
function keyOf(world: World): string {
  const attempts = world.attempts
    .map(
      ({ state, receipts, again }) =>
        `${state} ${receipts.join()} ${again.map(({ receipt, owed }) => `${receipt}${owed ? '!' : ''}`).join()}`,
    )
    .join('/');
  const balances = Object.values(ACCOUNT)
    .map((account) => balance(world, account))
    .join();
  const flags = [
    world.inLedger,
    world.reverted,
    world.appearances,
    world.valueAt,
    world.refundCameFrom,
    world.refundGranted,
    world.paymentStands,
  ].join();
  return [world.state, world.statuses.join(), attempts, flags, balances].join('|');
}

interface Walk {
  /** All reachable worlds. */
  readonly worlds: readonly World[];
  readonly postings: ReadonlySet<string>;
  /** Payments neither posted nor noted; must stay empty. */
  readonly dropped: readonly string[];
  readonly followers: ReadonlyMap<string, ReadonlySet<string>>;
}

const receiptsOf = (world: World): number => world.attempts.flatMap((attempt) => attempt.receipts).length;

function isDropped(before: World, after: World, event: string): boolean {
  if (event !== 'succeeded' || after.last?.kind === 'ignore') return false;
  const noted = before.state === 'REVIEW' && after.last?.kind === 'record';
  return !noted && receiptsOf(after) !== receiptsOf(before) + 1;
}

function walk(first: World, amounts: Amounts): Walk {
  const seen = new Set([keyOf(first)]);
  const worlds = [first];
  const postings = new Set<string>(first.posted);
  const dropped: string[] = [];
  const followers = new Map<string, Set<string>>();
  for (const world of worlds) {
    for (const trigger of triggers(world)) {
      const after = happen(world, trigger, amounts);
      const name =
        trigger.kind === 'event' ? trigger.event.type : trigger.kind === 'own' ? trigger.posting : trigger.kind;
      if (isDropped(world, after, name)) dropped.push(`${world.state} + ${name}`);
      followers.set(world.state, (followers.get(world.state) ?? new Set()).add(after.state));
      for (const posting of after.posted) postings.add(posting);
      const key = keyOf(after);
      if (seen.has(key)) continue;
      seen.add(key);
      worlds.push(after);
    }
  }
  return { worlds, postings, dropped, followers };
}

const walks = SCENARIOS.map(([name, fundedBy, refundAddress, amounts]) => ({
  name,
  fundedBy,
  amounts,
  walked: walk(start(fundedBy, refundAddress, amounts), amounts),
}));

/** An independent check of terminal states. One assertion for all worlds, because one each is too slow. */
function unsettled(world: World, amounts: Amounts): readonly object[] {
  const { minor: given } = subtract(amounts.amount, amounts.markup);
  const { minor: fee } = amounts.serviceFee;
  const payments = world.attempts.flatMap((attempt) => attempt.again);
  const again = BigInt(payments.length) * given;
  // A FAILED pay is paid if its payment became known before the refund was granted.
  const isPaid = world.state === 'COMPLETE' || world.paymentStands;
  // A partner owes a duplicate only if its money was returned.
  const owed = isPaid ? 0n : again;
  const before = -(10n ** 30n);
  const stake = world.fundedBy === 'wallet' ? amounts.amount.minor + fee : 0n;
  const spent = isPaid ? given + fee : 0n;
  const sums: (readonly [what: string, is: bigint, must: bigint])[] = [
    ['suspense', balance(world, ACCOUNT.suspense), owed - again],
    // sandbox_opened also puts the stake on the provider.
    ['provider', balance(world, ACCOUNT.provider) - before, (isPaid ? given : 0n) + again - stake],
    ['fees', balance(world, ACCOUNT.fees), isPaid ? fee : 0n],
  ];
  if (world.fundedBy === 'wallet')
    sums.push(['wallet', balance(world, ACCOUNT.wallet) + balance(world, ACCOUNT.receivable), stake - spent - owed]);
  sums.push(...fxOf(world, amounts));
  const wrong: object[] = sums
    .filter(([, is, must]) => is !== must)
    .map(([what, is, must]) => ({ what, is, must, world }));
  return payments.some((payment) => payment.owed === isPaid) ? [...wrong, { what: 'who owes', world }] : wrong;
}

/**
 * What a pay's deposit cost us: its value, plus shortfall_covered while the payout stands. Zero once it
 * vanished and is owed.
 */
function fxOf(world: World, amounts: Amounts): readonly (readonly [what: string, is: bigint, must: bigint])[] {
  const isPlain = world.fundedBy === 'deposit' && world.appearances === 1 && world.posted.includes('pay_funded');
  if (!isPlain || world.state === 'FAILED') return [];
  const { minor: worth } = convertFloor(amounts.received, amounts.rate);
  const given = world.state === 'COMPLETE' ? shortfallOf(world, amounts).minor : 0n;
  const { minor: sent } = subtract(amounts.amount, amounts.markup);
  const must = -given - (world.reverted ? 0n : worth);
  const duplicatePayment =
    BigInt(world.attempts.flatMap(({ again }) => again).filter(({ owed }) => owed).length) * sent;
  const theirs = balance(world, ACCOUNT.wallet) + balance(world, ACCOUNT.receivable);
  const left = world.state === 'COMPLETE' ? worth + given - sent : worth;
  return [
    ['fx', balance(world, ACCOUNT.fxFiat), must],
    ["what is the partner's", theirs, left - duplicatePayment - (world.reverted ? worth : 0n)],
  ];
}

describe.each(walks)('every path of a transaction that is $name', ({ fundedBy, amounts, walked }) => {
  it('keeps every rule at every instant', () => {
    expect(walked.worlds.length).toBeGreaterThan(100);
    expect(walked.worlds.flatMap((world) => brokenRule(world) ?? [])).toEqual([]);
  });

  it('is settled in every terminal state', () => {
    const ended = walked.worlds.filter(({ state }) => isTerminal(state));
    expect(ended.flatMap((world) => unsettled(world, amounts))).toEqual([]);
  });

  it('reaches every state that its funding has, and an end from each', () => {
    const without = fundedBy === 'wallet' ? ['AWAITING_FUNDS', 'CONFIRMING'] : ['ACCEPTED'];
    const states = Object.keys(TRANSACTION_STATES).filter((state) => !without.includes(state));
    expect([...walked.followers.keys()].sort()).toEqual(states.sort());
    for (const state of states) {
      const reached = new Set([state]);
      for (const one of reached) for (const next of walked.followers.get(one) ?? []) reached.add(next);
      expect([...reached].some((one) => isTerminal(one as World['state']))).toBe(true);
    }
  });

  it('never takes the public status back', () => {
    const pairs = new Set(
      walked.worlds.flatMap(({ statuses }) => statuses.slice(1).map((to, at) => `${statuses[at] ?? ''} → ${to}`)),
    );
    const allowed = Object.entries(PUBLIC_STATUS_FOLLOWERS).flatMap(([from, all]) =>
      all.map((to) => `${from} → ${to}`),
    );
    for (const pair of pairs) expect(allowed).toContain(pair);
  });

  it('drops no payment: a new one is posted, or noted for people in REVIEW', () => {
    expect(walked.dropped).toEqual([]);
  });
});

describe('paths in general', () => {
  it('use every posting of a transaction and its deposit', () => {
    const used = new Set(walks.flatMap(({ walked }) => [...walked.postings]));
    expect([...used].sort()).toEqual(
      [
        ...[
          'sandbox_opened',
          'payout_held',
          'deposit_received',
          'deposit_unapplied',
          'pay_funded',
          'payout_settled',
          'shortfall_covered',
          'payout_released',
          'refund_held',
          'refund_hold_withdrawn',
          'payout_reversed',
          'duplicate_payment',
          'duplicate_payment_returned',
          'duplicate_payment_ours',
          'duplicate_payment_ours_returned',
          'duplicate_payment_owed',
          'receivable_collected',
          'deposit_vanished_unpaid',
          'deposit_vanished_paid',
        ],
        ...[
          'unapplied_deposit_vanished',
          'refunding_deposit_vanished',
          'unapplied_refund_held',
          'refund_settled',
          'refund_failed_to_unapplied',
          'refund_failed_to_wallet',
          'unapplied_credited',
        ],
      ].sort(),
    );
  });

  it('holds for any amounts and any order of events', () => {
    const minor = fc.bigInt({ min: 1n, max: 10n ** 24n });
    const anyAmounts = fc
      .record({
        amount: minor,
        markup: fc.bigInt({ min: 0n, max: 999n }),
        serviceFee: fc.bigInt({ min: 0n, max: 10n ** 9n }),
        received: minor,
        toMinor: minor,
        fromMinor: minor,
        deposit: fc.boolean(),
        old: fc.boolean(),
      })
      .map(({ amount, markup, serviceFee, received, toMinor, fromMinor, deposit, old }) => {
        const rate = rateOf(toMinor, fromMinor);
        const { minor: value } = convertFloor(usdc(received), rate);
        const covered = deposit && amount > value + value / 100n ? value + value / 100n : amount;
        const asked = covered === 0n ? 1n : covered;
        const amounts: Amounts = {
          amount: kes(asked),
          markup: kes((asked * markup) / 1000n),
          serviceFee: kes(deposit ? 0n : serviceFee),
          received: usdc(received),
          rate,
          ...(old ? { oldShortfall: true } : {}),
        };
        return { amounts, fundedBy: deposit ? ('deposit' as const) : ('wallet' as const) };
      });
    fc.assert(
      fc.property(
        anyAmounts,
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 40 }),
        ({ amounts, fundedBy }, refundAddress, picks) => {
          let world = start(fundedBy, refundAddress, amounts);
          for (const pick of picks) {
            const options = triggers(world);
            const trigger = options[pick % options.length];
            if (trigger === undefined) break;
            world = happen(world, trigger, amounts);
            expect(brokenRule(world)).toBeNull();
            if (isTerminal(world.state)) expect(unsettled(world, amounts)).toEqual([]);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('shortfall_covered is what a short deposit lacks beyond the markup, and goes back to us when the payout fails', () => {
    const funded = happen(
      start('deposit', false, SHORT),
      { kind: 'event', of: 'current', event: { type: 'deposit.verified', deposit: 'new', screeningHit: false } },
      SHORT,
    );
    expect(balance(funded, ACCOUNT.held)).toBe(499_97n);
    expect(shortfallOf(funded, SHORT)).toEqual(kes(4n));
    const failed = happen(funded, { kind: 'event', of: 'current', event: { type: 'overdue' } }, SHORT);
    expect(balance(failed, ACCOUNT.wallet)).toBe(499_93n);
    expect(balance(failed, ACCOUNT.fxFiat)).toBe(-499_93n);
  });
});
