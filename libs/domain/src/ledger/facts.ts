import { add, lesser, subtract, type Money } from '../money/money.js';
import { convertFloor, type Rate } from '../money/rate.js';

/** Each posting needs only some. */
export interface PostingFacts {
  readonly partner?: number;
  readonly provider?: string;
  /** The provider's wallet: its float. */
  readonly wallet?: string;
  readonly chain?: string;
  /** Includes the partner's markup. */
  readonly amount?: Money;
  /** The partner's `fee`, inside `amount`. */
  readonly markup?: Money;
  readonly serviceFee?: Money;
  readonly held?: Money;
  readonly received?: Money;
  /** Token to currency, frozen for this transaction. */
  readonly rate?: Rate;
  /** The part of `held` that is ours (shortfall_covered), beyond the markup. */
  readonly shortfall?: Money;
  /** What the partner owes on `receivable`. */
  readonly due?: Money;
  readonly duplicatePayment?: Money;
  readonly available?: Money;
  /** The rest of the deposit stays unapplied. */
  readonly usedTokens?: Money;
  readonly credited?: Money;
  readonly sold?: Money;
  readonly proceeds?: Money;
}

function need<K extends keyof PostingFacts>(facts: PostingFacts, name: K): NonNullable<PostingFacts[K]> {
  const value = facts[name];
  if (value === undefined) throw new Error(`the posting needs the fact ${name}`);
  return value;
}

const given = (facts: PostingFacts): Money => subtract(need(facts, 'amount'), need(facts, 'markup'));
/**
 * The part of a returned payout that shortfall_covered paid. Only old deposits, judged before the markup paid
 * first, can have a larger shortfall.
 */
const takenBack = (facts: PostingFacts): Money => lesser(need(facts, 'shortfall'), given(facts));
const converted = (facts: PostingFacts): Money => convertFloor(need(facts, 'received'), need(facts, 'rate'));

/** Keys appear in the posting table. */
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
