import type { Asset, Money } from '../money/money.js';
import { AMOUNTS, type AmountName, type PostingFacts } from './facts.js';

/** `from` loses what `to` gains, so every posting sums to zero per asset. */
export interface Leg {
  readonly from: string;
  readonly to: string;
  /** More than 0. */
  readonly amount: Money;
}

/** P partner, X chain, R provider, W its wallet: facts of the posting. C currency, T token: the amount's asset. */
export interface LegTemplate {
  readonly from: string;
  readonly to: string;
  readonly amount: AmountName;
}

export interface Posting {
  readonly when: string;
  readonly legs: readonly LegTemplate[];
}

const leg = (from: string, to: string, amount: AmountName): LegTemplate => ({ from, to, amount });

const reverse = (when: string, posting: Posting): Posting => ({
  when,
  legs: posting.legs.map(({ from, to, amount }) => leg(to, from, amount)),
});

const TOP_UP: Posting = {
  when: 'top-up by the platform team, with reason and second approver',
  legs: [leg('bank:C', 'wallet:P:C', 'amount')],
};
const DEPOSITED = [leg('chain:X:T', 'unapplied:P:T', 'received')];
const TAKEN_FROM_REFUND: Posting = {
  when: 'deposit reverted while its refund is not yet signed',
  legs: [leg('refunding:P:T', 'chain:X:T', 'received')],
};
const DUPLICATE_PAYMENT: Posting = {
  when: 'paid after FAILED or REVERSED: the partner has its money back, and owes',
  legs: [leg('receivable:P:C', 'rail:R:W:C', 'amount less markup')],
};
const DUPLICATE_PAYMENT_OURS: Posting = {
  when: 'paid again while the money is held or was spent once: ours to settle with the provider',
  legs: [leg('suspense:C', 'rail:R:W:C', 'amount less markup')],
};
const PROVIDER_DIFFERENCE: Posting = {
  when: 'reconciliation: the provider holds less than the ledger says, until resolved by evidence',
  legs: [leg('suspense:C', 'rail:R:W:C', 'amount')],
};
const PROVIDER_FEE: Posting = {
  when: 'a provider charges us: told in its answer, or posted by two people',
  legs: [leg('rail_cost:C', 'rail:R:W:C', 'amount')],
};
const FLOAT_FUNDED: Posting = {
  when: "a provider's wallet was topped up from our bank",
  legs: [leg('rail:R:W:C', 'bank:C', 'amount')],
};
const BANK_FUNDED: Posting = {
  when: 'money of our own came into our bank',
  legs: [leg('bank:C', 'treasury:C', 'amount')],
};
const STABLECOIN_SOLD: Posting = {
  when: 'treasury sells stablecoin, and the proceeds are in our bank',
  legs: [leg('fx:T', 'chain:X:T', 'tokens sold'), leg('bank:C', 'fx:C', 'proceeds')],
};
const CHAIN_DIFFERENCE: Posting = {
  when: 'reconciliation: the chain holds less than the ledger says, until resolved by evidence',
  legs: [leg('suspense:T', 'chain:X:T', 'received')],
};

/** money.md section 4. A name with a suffix is a variant of the same row. */
export const POSTINGS = {
  sandbox_opened: {
    when: 'sandbox opening',
    legs: [leg('sandbox_funding:C', 'wallet:P:C', 'amount'), leg('rail:R:W:C', 'sandbox_funding:C', 'amount')],
  },
  wallet_topped_up: TOP_UP,
  wallet_debited: reverse('debit by the platform team, with reason and second approver', TOP_UP),
  sandbox_float_opened: {
    when: 'sandbox opening of a further provider',
    legs: [leg('rail:R:W:C', 'sandbox_funding:C', 'amount')],
  },
  payout_held: {
    when: 'bank transfer or disburse accepted',
    legs: [leg('wallet:P:C', 'held:P:C', 'amount + service fee')],
  },
  deposit_received: { when: 'deposit verified, pay or checkout', legs: DEPOSITED },
  deposit_unapplied: { when: 'unapplied: deposit_received only, the value waits', legs: DEPOSITED },
  pay_funded: {
    when: 'pay funded, in the commit of deposit_received',
    legs: [leg('unapplied:P:T', 'fx:T', 'received'), leg('fx:C', 'held:P:C', 'floor(received × rate)')],
  },
  payout_settled: {
    when: 'payout succeeded; the rest is the markup and, for pay, the surplus',
    legs: [
      leg('held:P:C', 'rail:R:W:C', 'amount less markup'),
      leg('held:P:C', 'fees:C', 'service fee'),
      leg('held:P:C', 'wallet:P:C', 'the rest'),
    ],
  },
  shortfall_covered: {
    when: 'short within tolerance by more than the markup, with pay_funded',
    legs: [leg('fx:C', 'held:P:C', 'shortfall')],
  },
  payout_released: {
    when: 'failed: wallet-funded, or pay without refund address, of too little to send, or whose partner owes or is frozen',
    legs: [leg('held:P:C', 'wallet:P:C', 'all less shortfall'), leg('held:P:C', 'fx:C', 'shortfall')],
  },
  refund_held: {
    when: 'failed pay with refund address and enough to send, of a partner that owes nothing and is not frozen',
    legs: [leg('held:P:C', 'fx:C', 'all'), leg('fx:T', 'refunding:P:T', 'received')],
  },
  refund_hold_withdrawn: {
    when: 'paid, and its refund was not granted yet: the value goes back behind the payout; with payout_settled',
    legs: [leg('refunding:P:T', 'fx:T', 'received'), leg('fx:C', 'held:P:C', 'all')],
  },
  payout_reversed: {
    // The wallet never gets our part, so taking it back cannot fail for lack of money.
    when: 'reversed: what shortfall_covered gave is ours again, as far as the provider gives back; the rest of it is owed, and what the partner owes is collected first',
    legs: [
      leg('rail:R:W:C', 'wallet:P:C', 'amount less markup and shortfall'),
      leg('rail:R:W:C', 'fx:C', 'min(shortfall, amount less markup)'),
      leg('receivable:P:C', 'fx:C', 'the rest of shortfall'),
      leg('fees:C', 'wallet:P:C', 'service fee'),
      leg('wallet:P:C', 'receivable:P:C', 'min(given back, due)'),
    ],
  },
  duplicate_payment: DUPLICATE_PAYMENT,
  duplicate_payment_returned: {
    // Not a plain reversal: after receivable_collected, that could make the receivable positive.
    when: 'duplicate_payment came back; what the partner owes is collected first',
    legs: [
      leg('rail:R:W:C', 'wallet:P:C', 'amount less markup'),
      leg('wallet:P:C', 'receivable:P:C', 'min(amount less markup, due)'),
    ],
  },
  duplicate_payment_ours: DUPLICATE_PAYMENT_OURS,
  duplicate_payment_ours_returned: reverse('duplicate_payment_ours came back', DUPLICATE_PAYMENT_OURS),
  duplicate_payment_owed: {
    when: 'duplicate_payment_ours stands and the partner has got its money back: it owes',
    legs: [leg('receivable:P:C', 'suspense:C', 'paid again')],
  },
  receivable_collected: {
    when: 'collecting what the partner owes',
    legs: [leg('wallet:P:C', 'receivable:P:C', 'min(available, due)')],
  },
  deposit_vanished_unpaid: {
    when: 'deposit reverted before submission',
    legs: [leg('held:P:C', 'fx:C', 'all'), leg('fx:T', 'chain:X:T', 'received')],
  },
  deposit_vanished_paid: {
    when: 'deposit reverted once paid or credited, at the posted rate; then receivable_collected, and freeze',
    legs: [leg('receivable:P:C', 'fx:C', 'floor(received × rate)'), leg('fx:T', 'chain:X:T', 'received')],
  },
  order_deposit_vanished: {
    when: 'deposit reverted once it was credited by an order: what order_settled gave is owed; then receivable_collected, and freeze',
    legs: [leg('receivable:P:C', 'fx:C', 'credited'), leg('fx:T', 'chain:X:T', 'used tokens')],
  },
  unapplied_deposit_vanished: {
    when: 'deposit reverted while still unapplied',
    legs: [leg('unapplied:P:T', 'chain:X:T', 'received')],
  },
  unapplied_deposit_restored: {
    when: 'an order that used it was COMPLETE all the same, before it heard of that; with order_settled and order_deposit_vanished',
    legs: [leg('chain:X:T', 'unapplied:P:T', 'used tokens')],
  },
  refunding_deposit_vanished: TAKEN_FROM_REFUND,
  refunding_deposit_restored: reverse(
    'that refund was signed all the same; with deposit_vanished_paid',
    TAKEN_FROM_REFUND,
  ),
  unapplied_refund_held: {
    when: 'refund of unapplied value accepted',
    legs: [leg('unapplied:P:T', 'refunding:P:T', 'received')],
  },
  refund_settled: { when: 'refund final', legs: [leg('refunding:P:T', 'chain:X:T', 'received')] },
  refund_failed_to_unapplied: {
    when: 'refund of unapplied_refund_held failed',
    legs: [leg('refunding:P:T', 'unapplied:P:T', 'received')],
  },
  refund_failed_to_wallet: {
    when: 'refund of refund_held failed: back through fx at the same rate',
    legs: [leg('refunding:P:T', 'fx:T', 'received'), leg('fx:C', 'wallet:P:C', 'floor(received × rate)')],
  },
  refund_settled_owed: {
    when: 'refund final after it had failed and its value was given back: the partner owes it',
    legs: [leg('receivable:P:C', 'fx:C', 'floor(received × rate)'), leg('fx:T', 'chain:X:T', 'received')],
  },
  order_settled: {
    when: 'order COMPLETE, after deposit_received: one for each deposit it uses; a surplus stays unapplied',
    legs: [leg('unapplied:P:T', 'fx:T', 'used tokens'), leg('fx:C', 'wallet:P:C', 'credited')],
  },
  unapplied_credited: {
    when: "late or unapplied value to the wallet by policy, at that day's rate",
    legs: [leg('unapplied:P:T', 'fx:T', 'received'), leg('fx:C', 'wallet:P:C', 'floor(received × rate)')],
  },
  provider_fee: PROVIDER_FEE,
  provider_fee_returned: reverse('a provider gives a fee back, or a posted one was none', PROVIDER_FEE),
  float_funded: FLOAT_FUNDED,
  float_withdrawn: reverse('float comes back to our bank', FLOAT_FUNDED),
  bank_funded: BANK_FUNDED,
  bank_withdrawn: reverse('money of our own leaves our bank', BANK_FUNDED),
  stablecoin_sold: STABLECOIN_SOLD,
  stablecoin_bought: reverse('treasury buys stablecoin, paid from our bank', STABLECOIN_SOLD),
  provider_difference: PROVIDER_DIFFERENCE,
  provider_difference_resolved: reverse(
    'reconciliation: the provider holds more than the ledger says',
    PROVIDER_DIFFERENCE,
  ),
  chain_difference: CHAIN_DIFFERENCE,
  chain_difference_resolved: reverse('reconciliation: the chain holds more than the ledger says', CHAIN_DIFFERENCE),
} as const satisfies Record<string, Posting>;

export type PostingName = keyof typeof POSTINGS;

const PART_FACT = { P: 'partner', X: 'chain', R: 'provider', W: 'wallet' } as const;
const PART_KIND = { C: 'currency', T: 'token' } as const;

function fill(template: string, facts: PostingFacts, asset: Asset): string {
  const parts = template.split(':').map((part) => {
    if (part === 'C' || part === 'T') return assetFor(part, asset);
    if (!Object.hasOwn(PART_FACT, part)) return part;
    const name = PART_FACT[part as keyof typeof PART_FACT];
    const value = facts[name];
    if (value === undefined) throw new Error(`the posting needs the fact ${name}`);
    return String(value);
  });
  return parts.join(':');
}

/** Throws if the amount's kind is wrong: a bug. */
function assetFor(part: 'C' | 'T', asset: Asset): Asset {
  if (asset.includes('@') !== (part === 'T')) throw new TypeError(`${asset} in the place of a ${PART_KIND[part]}`);
  return asset;
}

/** Drops legs of 0. Throws on a missing fact or a negative amount: a wrong posting must not be written. */
export function postingLegs(name: PostingName, facts: PostingFacts): Leg[] {
  const posting: Posting = POSTINGS[name];
  return posting.legs.flatMap((template) => {
    const amount = AMOUNTS[template.amount](facts);
    if (amount.minor < 0n) throw new RangeError(`${name}: ${template.amount} is below 0`);
    const from = fill(template.from, facts, amount.currency);
    return amount.minor === 0n ? [] : [{ from, to: fill(template.to, facts, amount.currency), amount }];
  });
}

/** Unique: `<kind>:<id>[:<n>]`, for example `duplicate-payment:7:2`. */
export function postingReference(kind: string, id: string | number | bigint, n?: number): string {
  if (!/^[a-z0-9-]{1,40}$/.test(kind))
    throw new RangeError('postingReference: kind is lower case letters, digits and -');
  return n === undefined ? `${kind}:${String(id)}` : `${kind}:${String(id)}:${String(n)}`;
}
