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
import type { DepositState, InboxMark, Move, NewDeposit, Posting, ValuedDeposit } from '../commit/index.js';
import type { TransactionSnapshot } from '../transactions/index.js';

/** One that an event tells of. */
export type ArrivingDeposit = ValuedDeposit & Pick<NewDeposit, 'transactionHash'>;

/** What offramp said of a deposit, as its move needs it. */
export interface Verdict {
  /** What it speaks of; null where nothing arrived. */
  readonly deposit: ArrivingDeposit | null;
  /** What arrived beside it by the same transfer, and is not in the ledger yet. */
  readonly also: readonly ArrivingDeposit[];
  /** What the chain took back. */
  readonly reverted?: KeptDeposit;
  readonly mark: InboxMark;
}

/** Value that arrives is posted once, by whichever posting: the deposit's id is its name. */
const ARRIVALS: ReadonlySet<PostingName> = new Set<PostingName>(['P2', 'P3']);

/** What a posting makes of the value that paid for the transaction. */
const DEPOSIT_AFTER: Readonly<Partial<Record<PostingName, DepositState>>> = {
  P6: 'credited',
  P7: 'refunding',
  P7_unwind: 'funding',
};

function depositAfter(names: readonly PostingName[], { life }: TransactionSnapshot): DepositState | undefined {
  // REVERSED tells by itself that the payment came back; FAILED does not.
  if (names.includes('P8') && life.state === 'FAILED') return 'credited';
  return names.map((name) => DEPOSIT_AFTER[name]).find((after) => after !== undefined);
}

/** Value that vanishes is taken back once, by whichever posting. */
const REVERSALS: ReadonlySet<PostingName> = new Set<PostingName>(['P10a', 'P10b', 'P10b_unapplied', 'P10b_refunding']);

export function isReversal(name: PostingName): boolean {
  return REVERSALS.has(name);
}

/** What postings need to know of a deposit that vanished: its rate is the one by which its value was last changed into money of a currency. */
export function revertedFactsOf(deposit: KeptDeposit, currency: string): PostingFacts {
  const { chain, received, credited } = deposit;
  const rate =
    credited === null ? tokenRate(deposit.rate, currency, unitOf(deposit)) : { from: received, to: credited };
  return { chain, received, rate };
}

export function isArrival(name: PostingName): boolean {
  return ARRIVALS.has(name);
}

/** The name under which a deposit's value came into the ledger, for ever. */
export function depositReference({ depositId }: Pick<ValuedDeposit, 'depositId'>): string {
  return postingReference('deposit', depositId);
}

/** What postings need to know of a deposit. */
export function depositFactsOf(deposit: ValuedDeposit, currency: string): PostingFacts {
  return {
    chain: deposit.chain,
    received: deposit.received,
    rate: tokenRate(deposit.rate, currency, unitOf(deposit)),
    shortfall: deposit.shortfall ?? zero(currency),
  };
}

/** The whole value of a deposit in the currency, and where it is short within tolerance what we add to it. */
export function fundingOf(deposit: ValuedDeposit, currency: string): Money {
  const worth = convertFloor(deposit.received, tokenRate(deposit.rate, currency, unitOf(deposit)));
  return deposit.shortfall === null ? worth : add(worth, deposit.shortfall);
}

/** What a commit that lets value in, or moves it on, says of deposits; `names` are its postings. */
export function depositPartOf(
  snapshot: TransactionSnapshot,
  names: readonly PostingName[],
  moves: boolean,
  verdict: Verdict | undefined,
): Pick<Move, 'deposits' | 'depositPatches' | 'refundPatches' | 'hold'> & { readonly postings: readonly Posting[] } {
  const { details } = snapshot;
  const { currency } = details.amount;
  const reverted = verdict?.reverted;
  if (reverted && names.some(isReversal)) return takenBackOf(reverted);
  const main = names.some(isArrival) ? (verdict?.deposit ?? null) : null;
  if (main !== null) {
    const funds = names.includes('P4');
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
      postings: also.map((deposit) => arrival(deposit, details.partnerId, currency)),
      ...(funds
        ? {
            hold: { open: fundingOf(main, currency), partnerId: details.partnerId },
          }
        : {}),
    };
  }
  const { deposit } = snapshot;
  const state = depositAfter(names, snapshot);
  // What the chain took back stays so, whatever becomes of what it paid for: its partner owes it.
  return deposit && state && deposit.state !== 'reverted'
    ? { postings: [], depositPatches: [{ depositId: deposit.depositId, expected: deposit.state, state }] }
    : { postings: [] };
}

/** What waited to be sent back cannot be: its refund ends in the same commit. */
function takenBackOf({
  depositId,
  state,
  unsignedRefund: refund,
}: KeptDeposit): Pick<Move, 'depositPatches' | 'refundPatches'> & { readonly postings: readonly Posting[] } {
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

function arrival(deposit: ValuedDeposit, partner: number, currency: string): Posting {
  return {
    reference: depositReference(deposit),
    kind: 'P3',
    legs: postingLegs('P3', { partner, ...depositFactsOf(deposit, currency) }),
  };
}
