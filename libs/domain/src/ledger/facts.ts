import { add, lesser, subtract, type Money } from '../money/money.js';
import { convertFloor, type Rate } from '../money/rate.js';

/** What a posting is made from; each one needs only some. */
export interface PostingFacts {
  readonly partner?: number;
  readonly provider?: string;
  readonly chain?: string;
  /** What was asked for, the partner's markup included. */
  readonly amount?: Money;
  /** The partner's `fee`, inside `amount`: the recipient gets amount − markup. */
  readonly markup?: Money;
  readonly serviceFee?: Money;
  /** All that is held for this transaction. */
  readonly held?: Money;
  /** What arrived on chain. */
  readonly received?: Money;
  /** From the token to the currency, as frozen for this transaction. */
  readonly rate?: Rate;
  /** What of `held` was shortfall_covered, ours: what a deposit lacks beyond the markup. */
  readonly shortfall?: Money;
  /** What the partner owes on `receivable`. */
  readonly due?: Money;
  /** What stands as duplicate_payment_ours for this transaction, all receipts together. */
  readonly duplicatePayment?: Money;
  /** What the partner's wallet can give. */
  readonly available?: Money;
  /** What an order has used of one deposit, of its token, and what it credits for that. The rest of the deposit stays unapplied. */
  readonly usedTokens?: Money;
  readonly credited?: Money;
  /** Tokens the treasury sold, and the fiat that came for them. */
  readonly sold?: Money;
  readonly proceeds?: Money;
}

function need<K extends keyof PostingFacts>(facts: PostingFacts, name: K): NonNullable<PostingFacts[K]> {
  const value = facts[name];
  if (value === undefined) throw new Error(`the posting needs the fact ${name}`);
  return value;
}

/** What a provider was given: the amount less the partner's markup. */
const given = (facts: PostingFacts): Money => subtract(need(facts, 'amount'), need(facts, 'markup'));
/** Of what a provider gives back: what shortfall_covered gave. It is less than that shortfall_covered only of deposits that were judged while the markup did not pay first. */
const takenBack = (facts: PostingFacts): Money => lesser(need(facts, 'shortfall'), given(facts));
const converted = (facts: PostingFacts): Money => convertFloor(need(facts, 'received'), need(facts, 'rate'));

/** Every amount a leg may name. The key is what the posting table shows. */
export const AMOUNTS = {
  amount: (facts) => need(facts, 'amount'),
  'amount + service fee': (facts) => add(need(facts, 'amount'), need(facts, 'serviceFee')),
  'amount less markup': given,
  'service fee': (facts) => need(facts, 'serviceFee'),
  'the rest': (facts) => subtract(subtract(need(facts, 'held'), given(facts)), need(facts, 'serviceFee')),
  all: (facts) => need(facts, 'held'),
  'all less shortfall': (facts) => subtract(need(facts, 'held'), need(facts, 'shortfall')),
  shortfall: (facts) => need(facts, 'shortfall'),
  received: (facts) => need(facts, 'received'),
  'floor(received × rate)': converted,
  'min(amount less markup, due)': (facts) => lesser(given(facts), need(facts, 'due')),
  'amount less markup and shortfall': (facts) => subtract(given(facts), takenBack(facts)),
  'min(shortfall, amount less markup)': takenBack,
  'the rest of shortfall': (facts) => subtract(need(facts, 'shortfall'), takenBack(facts)),
  'min(given back, due)': (facts) =>
    lesser(add(subtract(given(facts), takenBack(facts)), need(facts, 'serviceFee')), need(facts, 'due')),
  'min(available, due)': (facts) => lesser(need(facts, 'available'), need(facts, 'due')),
  'paid again': (facts) => need(facts, 'duplicatePayment'),
  'used tokens': (facts) => need(facts, 'usedTokens'),
  credited: (facts) => need(facts, 'credited'),
  'tokens sold': (facts) => need(facts, 'sold'),
  proceeds: (facts) => need(facts, 'proceeds'),
} as const satisfies Record<string, (facts: PostingFacts) => Money>;

export type AmountName = keyof typeof AMOUNTS;
