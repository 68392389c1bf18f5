import { convertFloor, type Asset, type Rate } from '../money/money.js';

/** What a posting is made from; each one needs only some. Amounts in minor units of the asset they are about. */
export interface PostingFacts {
  readonly partner?: number;
  readonly currency?: Asset;
  readonly token?: Asset;
  readonly rail?: string;
  readonly chain?: string;
  /** What was asked for, the partner's markup included. */
  readonly amount?: bigint;
  /** The partner's `fee`, inside `amount`: the recipient gets amount − markup. */
  readonly markup?: bigint;
  readonly serviceFee?: bigint;
  /** All that is held for this transaction. */
  readonly held?: bigint;
  /** What arrived on chain, in token units. */
  readonly received?: bigint;
  /** Fiat minor units per token minor unit, as frozen for this transaction. */
  readonly rate?: Rate;
  /** What of `held` was P5u, ours: what a deposit lacks beyond the markup. */
  readonly shortfall?: bigint;
  /** What the partner owes on `receivable`. */
  readonly due?: bigint;
  /** What stands as P9_ours for this transaction, all receipts together. */
  readonly paidAgain?: bigint;
  /** What the partner's wallet can give. */
  readonly available?: bigint;
  /** What an order has used of one deposit, in token units, and what it credits for that. The rest of the deposit stays unapplied. */
  readonly usedTokens?: bigint;
  readonly credited?: bigint;
  /** Tokens the treasury sold, and the fiat that came for them. */
  readonly sold?: bigint;
  readonly proceeds?: bigint;
}

function need<K extends keyof PostingFacts>(facts: PostingFacts, name: K): NonNullable<PostingFacts[K]> {
  const value = facts[name];
  if (value === undefined) throw new Error(`the posting needs the fact ${name}`);
  return value;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What a rail was given: the amount less the partner's markup. */
const given = (facts: PostingFacts): bigint => need(facts, 'amount') - need(facts, 'markup');
/** Of what a rail gives back: what P5u gave. It is less than that P5u only of deposits that were judged while the markup did not pay first. */
const takenBack = (facts: PostingFacts): bigint => least(need(facts, 'shortfall'), given(facts));
const converted = (facts: PostingFacts): bigint => convertFloor(need(facts, 'received'), need(facts, 'rate'));

/** Every amount a leg may name. The key is what the posting table shows. */
export const AMOUNTS = {
  amount: (facts) => need(facts, 'amount'),
  'amount + service fee': (facts) => need(facts, 'amount') + need(facts, 'serviceFee'),
  'amount less markup': given,
  'service fee': (facts) => need(facts, 'serviceFee'),
  'the rest': (facts) => need(facts, 'held') - given(facts) - need(facts, 'serviceFee'),
  all: (facts) => need(facts, 'held'),
  'all less shortfall': (facts) => need(facts, 'held') - need(facts, 'shortfall'),
  shortfall: (facts) => need(facts, 'shortfall'),
  received: (facts) => need(facts, 'received'),
  'floor(received × rate)': converted,
  'min(amount less markup, due)': (facts) => least(given(facts), need(facts, 'due')),
  'amount less markup and shortfall': (facts) => given(facts) - takenBack(facts),
  'min(shortfall, amount less markup)': takenBack,
  'the rest of shortfall': (facts) => need(facts, 'shortfall') - takenBack(facts),
  'min(given back, due)': (facts) =>
    least(given(facts) - takenBack(facts) + need(facts, 'serviceFee'), need(facts, 'due')),
  'min(available, due)': (facts) => least(need(facts, 'available'), need(facts, 'due')),
  'paid again': (facts) => need(facts, 'paidAgain'),
  'used tokens': (facts) => need(facts, 'usedTokens'),
  credited: (facts) => need(facts, 'credited'),
  'tokens sold': (facts) => need(facts, 'sold'),
  proceeds: (facts) => need(facts, 'proceeds'),
} as const satisfies Record<string, (facts: PostingFacts) => bigint>;

export type AmountName = keyof typeof AMOUNTS;
