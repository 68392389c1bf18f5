import type { Asset, Money } from '../money/money.js';
import { AMOUNTS, type AmountName, type PostingFacts } from './facts.js';

/** One movement of one asset: `from` loses what `to` gains, so a posting is zero per asset by construction. */
export interface Leg {
  readonly from: string;
  readonly to: string;
  /** More than 0, of the asset that both accounts count. */
  readonly amount: Money;
}

/** P partner, X chain, R rail stand for facts of the posting; C currency and T token for what its amount is of. */
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
const PAID_AGAIN: Posting = {
  when: 'paid after FAILED or REVERSED: the partner has its money back, and owes',
  legs: [leg('receivable:P:C', 'rail:R:C', 'amount less markup')],
};
const PAID_AGAIN_OURS: Posting = {
  when: 'paid again while the money is held or was spent once: ours to settle with the rail',
  legs: [leg('suspense:C', 'rail:R:C', 'amount less markup')],
};
const RAIL_DIFFERENCE: Posting = {
  when: 'reconciliation: the rail holds less than the ledger says, until resolved by evidence',
  legs: [leg('suspense:C', 'rail:R:C', 'amount')],
};
const CHAIN_DIFFERENCE: Posting = {
  when: 'reconciliation: the chain holds less than the ledger says, until resolved by evidence',
  legs: [leg('suspense:T', 'chain:X:T', 'received')],
};

/** Every posting there is (money.md section 4). A name with a suffix is a variant the same row describes. */
export const POSTINGS = {
  P0: {
    when: 'sandbox opening',
    legs: [leg('sandbox_funding:C', 'wallet:P:C', 'amount'), leg('rail:sandbox:C', 'sandbox_funding:C', 'amount')],
  },
  P0b: TOP_UP,
  P0b_debit: reverse('debit by the platform team, with reason and second approver', TOP_UP),
  P0_float: { when: 'sandbox opening of a further rail', legs: [leg('rail:R:C', 'sandbox_funding:C', 'amount')] },
  P1: { when: 'bank transfer or disburse accepted', legs: [leg('wallet:P:C', 'held:P:C', 'amount + service fee')] },
  P2: { when: 'deposit verified, pay or checkout', legs: DEPOSITED },
  P3: { when: 'unapplied: P2 only, the value waits', legs: DEPOSITED },
  P4: {
    when: 'pay funded, in the commit of P2',
    legs: [leg('unapplied:P:T', 'fx:T', 'received'), leg('fx:C', 'held:P:C', 'floor(received × rate)')],
  },
  P5: {
    when: 'payout succeeded; the rest is the markup and, for pay, the surplus',
    legs: [
      leg('held:P:C', 'rail:R:C', 'amount less markup'),
      leg('held:P:C', 'fees:C', 'service fee'),
      leg('held:P:C', 'wallet:P:C', 'the rest'),
    ],
  },
  P5u: {
    when: 'short within tolerance by more than the markup, with P4',
    legs: [leg('fx:C', 'held:P:C', 'shortfall')],
  },
  P6: {
    when: 'failed: wallet-funded, or pay without refund address, of too little to send, or whose partner owes or is frozen',
    legs: [leg('held:P:C', 'wallet:P:C', 'all less shortfall'), leg('held:P:C', 'fx:C', 'shortfall')],
  },
  P7: {
    when: 'failed pay with refund address and enough to send, of a partner that owes nothing and is not frozen',
    legs: [leg('held:P:C', 'fx:C', 'all'), leg('fx:T', 'refunding:P:T', 'received')],
  },
  P7_unwind: {
    when: 'paid, and its refund was not granted yet: the value goes back behind the payout; with P5',
    legs: [leg('refunding:P:T', 'fx:T', 'received'), leg('fx:C', 'held:P:C', 'all')],
  },
  P8: {
    // The wallet never gets what was ours, so that taking it back cannot fail for want of money.
    when: 'reversed: what P5u gave is ours again, as far as the rail gives back; the rest of it is owed, and what the partner owes is collected first',
    legs: [
      leg('rail:R:C', 'wallet:P:C', 'amount less markup and shortfall'),
      leg('rail:R:C', 'fx:C', 'min(shortfall, amount less markup)'),
      leg('receivable:P:C', 'fx:C', 'the rest of shortfall'),
      leg('fees:C', 'wallet:P:C', 'service fee'),
      leg('wallet:P:C', 'receivable:P:C', 'min(given back, due)'),
    ],
  },
  P9: PAID_AGAIN,
  P9_unwind: {
    // Not the bare reverse: what P9c has collected since would leave the receivable above 0.
    when: 'P9 came back; what the partner owes is collected first',
    legs: [
      leg('rail:R:C', 'wallet:P:C', 'amount less markup'),
      leg('wallet:P:C', 'receivable:P:C', 'min(amount less markup, due)'),
    ],
  },
  P9_ours: PAID_AGAIN_OURS,
  P9_ours_unwind: reverse('P9_ours came back', PAID_AGAIN_OURS),
  P9_owed: {
    when: 'P9_ours stands and the partner has got its money back: it owes',
    legs: [leg('receivable:P:C', 'suspense:C', 'paid again')],
  },
  P9c: { when: 'collecting what the partner owes', legs: [leg('wallet:P:C', 'receivable:P:C', 'min(available, due)')] },
  P10a: {
    when: 'deposit reverted before submission',
    legs: [leg('held:P:C', 'fx:C', 'all'), leg('fx:T', 'chain:X:T', 'received')],
  },
  P10b: {
    when: 'deposit reverted once paid or credited, at the posted rate; then P9c, and freeze',
    legs: [leg('receivable:P:C', 'fx:C', 'floor(received × rate)'), leg('fx:T', 'chain:X:T', 'received')],
  },
  P10b_order: {
    when: 'deposit reverted once it was credited by an order: what P13 gave is owed; then P9c, and freeze',
    legs: [leg('receivable:P:C', 'fx:C', 'credited'), leg('fx:T', 'chain:X:T', 'used tokens')],
  },
  P10b_unapplied: {
    when: 'deposit reverted while still unapplied',
    legs: [leg('unapplied:P:T', 'chain:X:T', 'received')],
  },
  P10b_unapplied_unwind: {
    when: 'an order that used it was COMPLETE all the same, before it heard of that; with P13 and P10b_order',
    legs: [leg('chain:X:T', 'unapplied:P:T', 'used tokens')],
  },
  P10b_refunding: TAKEN_FROM_REFUND,
  P10b_refunding_unwind: reverse('that refund was signed all the same; with P10b', TAKEN_FROM_REFUND),
  P11: { when: 'refund of unapplied value accepted', legs: [leg('unapplied:P:T', 'refunding:P:T', 'received')] },
  P12: { when: 'refund final', legs: [leg('refunding:P:T', 'chain:X:T', 'received')] },
  P12_unapplied: { when: 'refund of P11 failed', legs: [leg('refunding:P:T', 'unapplied:P:T', 'received')] },
  P12_wallet: {
    when: 'refund of P7 failed: back through fx at the same rate',
    legs: [leg('refunding:P:T', 'fx:T', 'received'), leg('fx:C', 'wallet:P:C', 'floor(received × rate)')],
  },
  P12_owed: {
    when: 'refund final after it had failed and its value was given back: the partner owes it',
    legs: [leg('receivable:P:C', 'fx:C', 'floor(received × rate)'), leg('fx:T', 'chain:X:T', 'received')],
  },
  P13: {
    when: 'order COMPLETE, after P2: one for each deposit it uses; a surplus stays unapplied',
    legs: [leg('unapplied:P:T', 'fx:T', 'used tokens'), leg('fx:C', 'wallet:P:C', 'credited')],
  },
  P14: {
    when: "late or unapplied value to the wallet by policy, at that day's rate",
    legs: [leg('unapplied:P:T', 'fx:T', 'received'), leg('fx:C', 'wallet:P:C', 'floor(received × rate)')],
  },
  P15: { when: 'a rail charges us', legs: [leg('rail_cost:C', 'rail:R:C', 'amount')] },
  P16: {
    when: 'treasury sells stablecoin and funds a rail',
    legs: [
      leg('fx:T', 'chain:X:T', 'tokens sold'),
      leg('bank:C', 'fx:C', 'proceeds'),
      leg('rail:R:C', 'bank:C', 'amount'),
    ],
  },
  P17: RAIL_DIFFERENCE,
  P17_back: reverse('reconciliation: the rail holds more than the ledger says', RAIL_DIFFERENCE),
  P17_chain: CHAIN_DIFFERENCE,
  P17_chain_back: reverse('reconciliation: the chain holds more than the ledger says', CHAIN_DIFFERENCE),
} as const satisfies Record<string, Posting>;

export type PostingName = keyof typeof POSTINGS;

const PART_FACT = { P: 'partner', X: 'chain', R: 'rail' } as const;
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

/** Tokens and currencies never stand for one another: an amount of the wrong kind is a bug. */
function assetFor(part: 'C' | 'T', asset: Asset): Asset {
  if (asset.includes('@') !== (part === 'T')) throw new TypeError(`${asset} in the place of a ${PART_KIND[part]}`);
  return asset;
}

/**
 * The legs of a posting; legs of 0 are dropped. Throws where a fact is missing or an amount is below 0: that is
 * a bug, and a posting that is wrong must not be written.
 */
export function postingLegs(name: PostingName, facts: PostingFacts): Leg[] {
  const posting: Posting = POSTINGS[name];
  return posting.legs.flatMap((template) => {
    const amount = AMOUNTS[template.amount](facts);
    if (amount.minor < 0n) throw new RangeError(`${name}: ${template.amount} is below 0`);
    const from = fill(template.from, facts, amount.currency);
    return amount.minor === 0n ? [] : [{ from, to: fill(template.to, facts, amount.currency), amount }];
  });
}

/** The unique reference of a posting: `<kind>:<id>[:<n>]`, such as `deposit:12` or `paid-again:7:2`. */
export function postingReference(kind: string, id: string | number | bigint, n?: number): string {
  if (!/^[a-z0-9-]{1,40}$/.test(kind))
    throw new RangeError('postingReference: kind is lower case letters, digits and -');
  return n === undefined ? `${kind}:${String(id)}` : `${kind}:${String(id)}:${String(n)}`;
}
