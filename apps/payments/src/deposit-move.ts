import { convertFloor, postingLegs, postingReference, tokenRate, type PostingFacts, type PostingName } from '@vuka/domain';

import type { Deposit, DepositState, InboxMark, Move, NewDeposit, Posting } from './store/move.js';
import type { TransactionSnapshot } from './store/transaction.store.js';

/** What offramp said of a deposit, as its move needs it. */
export interface Verdict {
  /** What it speaks of; null where nothing arrived. */
  readonly deposit: Deposit | null;
  /** What arrived beside it by the same transfer, and is not in the ledger yet. */
  readonly also: readonly Deposit[];
  readonly mark: InboxMark;
}

/** Value that arrives is posted once, by whichever posting: the deposit's id is its name. */
const ARRIVALS: ReadonlySet<PostingName> = new Set<PostingName>(['P2', 'P3']);

/** What a posting makes of the value that paid for the transaction. */
const DEPOSIT_AFTER: Readonly<Partial<Record<PostingName, DepositState>>> = { P6: 'credited', P7: 'refunding' };

export function isArrival(name: PostingName): boolean {
  return ARRIVALS.has(name);
}

/** The name under which a deposit's value came into the ledger, for ever. */
export function depositReference({ depositId }: Pick<Deposit, 'depositId'>): string {
  return postingReference('deposit', depositId);
}

/** What postings need to know of a deposit. */
export function depositFactsOf(deposit: Deposit, currency: string): PostingFacts {
  return { token: deposit.asset, chain: deposit.chain, received: deposit.receivedMinor, rate: tokenRate(deposit.rate, currency, deposit), shortfall: deposit.shortfallMinor };
}

/** The whole value of a deposit in minor units of the currency, and where it is short within tolerance what we add to it. */
export function fundingOf(deposit: Deposit, currency: string): bigint {
  return convertFloor(deposit.receivedMinor, tokenRate(deposit.rate, currency, deposit)) + deposit.shortfallMinor;
}

/** What a commit that lets value in, or moves it on, says of deposits; `names` are its postings. */
export function depositPartOf(
  snapshot: TransactionSnapshot, names: readonly PostingName[], moves: boolean, verdict: Verdict | undefined,
): Pick<Move, 'deposits' | 'depositPatches' | 'hold'> & { readonly postings: readonly Posting[] } {
  const { terms } = snapshot;
  const main = names.some(isArrival) ? (verdict?.deposit ?? null) : null;
  if (main !== null) {
    const funds = names.includes('P4');
    const also = verdict?.also ?? [];
    const rowOf = (deposit: Deposit, isMain: boolean, state: DepositState): NewDeposit => ({ ...deposit, partnerId: terms.partnerId, isMain, state });
    return {
      deposits: [
        rowOf(funds ? main : { ...main, shortfallMinor: 0n }, moves, funds ? 'funding' : 'unapplied'),
        ...also.map((deposit) => rowOf({ ...deposit, shortfallMinor: 0n }, false, 'unapplied')),
      ],
      postings: also.map((deposit) => arrival(deposit, terms.partnerId, terms.currency)),
      ...(funds ? { hold: { open: fundingOf(main, terms.currency), partnerId: terms.partnerId, currency: terms.currency } } : {}),
    };
  }
  const { deposit } = snapshot;
  const state = names.map((name) => DEPOSIT_AFTER[name]).find((after) => after !== undefined);
  return deposit && state ? { postings: [], depositPatches: [{ depositId: deposit.depositId, expected: deposit.state, state }] } : { postings: [] };
}

function arrival(deposit: Deposit, partner: number, currency: string): Posting {
  return { reference: depositReference(deposit), kind: 'P3', legs: postingLegs('P3', { partner, currency, ...depositFactsOf(deposit, currency) }) };
}
