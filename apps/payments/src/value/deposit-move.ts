import {
  add,
  convertFloor,
  postingLegs,
  postingReference,
  tokenRate,
  unitOf,
  zero,
  type Money,
  type PostingFacts,
  type PostingName,
} from '@vuka/domain';

import type { KeptDeposit } from './deposit.store.js';
import type { DepositState, InboxMark, PaymentCommit, NewDeposit, Posting, ValuedDeposit } from '../commit/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';

export type ArrivingDeposit = ValuedDeposit & Pick<NewDeposit, 'transactionHash'>;

/** offramp's event about a deposit. */
export interface Verdict {
  /** null: nothing arrived. */
  readonly deposit: ArrivingDeposit | null;
  /** Others of the same transfer that are not in the ledger yet. */
  readonly also: readonly ArrivingDeposit[];
  readonly reverted?: KeptDeposit;
  readonly mark: InboxMark;
}

/** Whichever posts the value uses the deposit's id as reference: only once. */
const INCOMING_TRANSFERS: ReadonlySet<PostingName> = new Set<PostingName>(['deposit_received', 'deposit_unapplied']);

const DEPOSIT_AFTER: Readonly<Partial<Record<PostingName, DepositState>>> = {
  payout_released: 'credited',
  refund_held: 'refunding',
  refund_hold_withdrawn: 'funding',
};

function depositAfter(names: readonly PostingName[], { life }: TransactionSnapshot): DepositState | undefined {
  // REVERSED says by itself that the payment came back; FAILED does not.
  if (names.includes('payout_reversed') && life.state === 'FAILED') return 'credited';
  return names.map((name) => DEPOSIT_AFTER[name]).find((after) => after !== undefined);
}

/** Each vanished deposit is taken back once. */
const REVERSALS: ReadonlySet<PostingName> = new Set<PostingName>([
  'deposit_vanished_unpaid',
  'deposit_vanished_paid',
  'unapplied_deposit_vanished',
  'refunding_deposit_vanished',
]);

export function isReversal(name: PostingName): boolean {
  return REVERSALS.has(name);
}

/** The rate is the one that last turned its value into a currency. */
export function revertedFactsOf(deposit: KeptDeposit, currency: string): PostingFacts {
  const { chain, received, credited } = deposit;
  const rate =
    credited === null ? tokenRate(deposit.rate, currency, unitOf(deposit)) : { from: received, to: credited };
  return { chain, received, rate };
}

export function isIncomingTransfer(name: PostingName): boolean {
  return INCOMING_TRANSFERS.has(name);
}

/** Unique for ever. */
export function depositReference({ depositId }: Pick<ValuedDeposit, 'depositId'>): string {
  return postingReference('deposit', depositId);
}

export function depositFactsOf(deposit: ValuedDeposit, currency: string): PostingFacts {
  return {
    chain: deposit.chain,
    received: deposit.received,
    rate: tokenRate(deposit.rate, currency, unitOf(deposit)),
    shortfall: deposit.shortfall ?? zero(currency),
  };
}

/** With our part, if it is short within tolerance. */
export function fundingOf(deposit: ValuedDeposit, currency: string): Money {
  const worth = convertFloor(deposit.received, tokenRate(deposit.rate, currency, unitOf(deposit)));
  return deposit.shortfall === null ? worth : add(worth, deposit.shortfall);
}

export function depositPartOf(
  snapshot: TransactionSnapshot,
  names: readonly PostingName[],
  moves: boolean,
  verdict: Verdict | undefined,
): Pick<PaymentCommit, 'deposits' | 'depositPatches' | 'refundPatches' | 'hold'> & {
  readonly postings: readonly Posting[];
} {
  const { details } = snapshot;
  const { currency } = details.amount;
  const reverted = verdict?.reverted;
  if (reverted && names.some(isReversal)) return takenBackOf(reverted);
  const main = names.some(isIncomingTransfer) ? (verdict?.deposit ?? null) : null;
  if (main !== null) {
    const funds = names.includes('pay_funded');
    const also = verdict?.also ?? [];
    const rowOf = (deposit: ArrivingDeposit, isMain: boolean, state: DepositState): NewDeposit => ({
      ...deposit,
      partnerId: details.partnerId,
      isMain,
      state,
    });
    return {
      deposits: [
        rowOf(funds ? main : { ...main, shortfall: null }, moves, funds ? 'funding' : 'unapplied'),
        ...also.map((deposit) => rowOf({ ...deposit, shortfall: null }, false, 'unapplied')),
      ],
      postings: also.map((deposit) => incomingTransfer(deposit, details.partnerId, currency)),
      ...(funds
        ? {
            hold: { open: fundingOf(main, currency), partnerId: details.partnerId },
          }
        : {}),
    };
  }
  const { deposit } = snapshot;
  const state = depositAfter(names, snapshot);
  // A reverted deposit stays so: its partner owes it.
  return deposit && state && deposit.state !== 'reverted'
    ? { postings: [], depositPatches: [{ depositId: deposit.depositId, expected: deposit.state, state }] }
    : { postings: [] };
}

/** A waiting refund ends in the same commit. */
function takenBackOf({
  depositId,
  state,
  unsignedRefund: refund,
}: KeptDeposit): Pick<PaymentCommit, 'depositPatches' | 'refundPatches'> & { readonly postings: readonly Posting[] } {
  const depositPatches = [{ depositId, expected: state, state: 'reverted' as const }];
  if (state !== 'refunding' || refund === null) return { postings: [], depositPatches };
  return {
    postings: [],
    depositPatches,
    refundPatches: [
      { refundId: refund.refundId, expected: refund.state, state: 'FAILED', failure: 'deposit_reverted' },
    ],
  };
}

function incomingTransfer(deposit: ValuedDeposit, partner: number, currency: string): Posting {
  return {
    reference: depositReference(deposit),
    kind: 'deposit_unapplied',
    legs: postingLegs('deposit_unapplied', { partner, ...depositFactsOf(deposit, currency) }),
  };
}
