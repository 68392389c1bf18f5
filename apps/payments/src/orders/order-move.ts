import { decodeDeposit, type DepositFacts } from '@vuka/contracts';
import { isSame, parseRate, postingLegs, unitOf, type Money } from '@vuka/domain';
import { PermanentEventError } from '@vuka/messaging';
import { isUniqueViolation } from '@vuka/persistence';

import { depositReference, type KeptDeposit, type OrderShare } from '../value/index.js';
import {
  type DepositState,
  type PaymentCommit,
  type CommitWriter,
  type NewDeposit,
  type Posting,
  referenceOf,
} from '../commit/index.js';

/** Others may be as fast as often as a deposit has events. */
const MAX_TRIES = 5;

/**
 * Commits the move that `next` makes of what it has read, and lets it read again until nothing is left to do (null): where others were faster, what
 * they wrote may have been all. `codeIsTaken`: the code of the transaction that it inserted is another transaction's. Resolves true where something was
 * written. Throws where it stays contended.
 */
export async function commitUntilDone(
  writer: CommitWriter,
  what: string,
  next: (codeIsTaken: boolean) => Promise<PaymentCommit | null>,
): Promise<boolean> {
  let wrote = false;
  let codeIsTaken = false;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const move = await next(codeIsTaken);
    if (move === null) return wrote;
    const outcome = await outcomeOf(writer, move);
    if (outcome === 'seen') return wrote;
    if (outcome === 'ok') wrote = true;
    else if (outcome === 'exists_different') codeIsTaken = true;
    else if (outcome !== 'exists' && outcome !== 'stale') throw new Error(`${what} was answered ${outcome}`);
  }
  throw new Error(`${what}: others were faster ${MAX_TRIES} times in a row`);
}

/** Two processes that let the same deposit in at the same moment have no row to wait at: one of them finds its posting there. */
async function outcomeOf(writer: CommitWriter, move: PaymentCommit): Promise<string> {
  try {
    return (await writer.commit(move, 'background')).outcome;
  } catch (error) {
    if (isUniqueViolation(error)) return 'exists';
    throw error;
  }
}

/** Which currency a rate is to, is not known before its order is settled: only that it is more than 0. */
const ANY_CURRENCY = { currency: '', decimals: 0 };

/** The row of a deposit that came for an order. Throws PermanentEventError where the facts are no value. */
export function orderDepositRow(facts: DepositFacts, partnerId: number, rate: string, state: DepositState): NewDeposit {
  if (!facts.asset.endsWith(`@${facts.chain}`)) throw new PermanentEventError('deposit.asset: not of its chain');
  const { depositId, chain, received, decimals, transactionHash } = decodeDeposit(facts);
  if (received.minor === 0n) throw new PermanentEventError('deposit.received_minor: a deposit is more than 0');
  if (!parseRate(rate, unitOf({ received, decimals }), ANY_CURRENCY).ok)
    throw new PermanentEventError('rate: must be more than 0');
  return {
    depositId,
    chain,
    received,
    decimals,
    transactionHash,
    rate,
    shortfall: null,
    quoteNotApplied: null,
    partnerId,
    isMain: false,
    state,
  };
}

/** deposit_unapplied: its value comes into the ledger, once for ever, whichever event brings it. */
export function incomingTransferOf({ depositId, partnerId, chain, received }: NewDeposit): Posting {
  return {
    reference: depositReference({ depositId }),
    kind: 'deposit_unapplied',
    legs: postingLegs('deposit_unapplied', { partner: partnerId, chain, received }),
  };
}

/** Throws PermanentEventError where the ledger has the deposit for somebody else, or with another value. */
export function checkSame(kept: KeptDeposit, orderNumber: number, partnerId: number, facts: DepositFacts): void {
  if (kept.transactionId !== orderNumber || kept.partnerId !== partnerId)
    throw new PermanentEventError('deposit: the ledger has it for somebody else');
  if (!isSame(kept.received, decodeDeposit(facts).received))
    throw new PermanentEventError('deposit: the ledger has it with another value');
}

type Place = Pick<KeptDeposit, 'depositId' | 'partnerId' | 'chain'>;

function postingOfShare(
  name: 'order_settled' | 'order_deposit_vanished' | 'unapplied_deposit_restored',
  { depositId, partnerId, chain }: Place,
  { used, credited }: OrderShare,
): Posting {
  const facts = { partner: partnerId, chain, usedTokens: used, credited };
  return { reference: referenceOf(name, depositId), kind: name, legs: postingLegs(name, facts) };
}

/** order_settled: what an order uses of a deposit becomes what it credits for that. */
export function creditOf(place: Place, share: OrderShare): Posting {
  return postingOfShare('order_settled', place, share);
}

/** Of a deposit that vanished after its order was credited for it: its partner owes exactly that. */
export function debtOf(place: Place, share: OrderShare): Posting {
  return postingOfShare('order_deposit_vanished', place, share);
}

/** Of a deposit that vanished while it was unapplied, as a whole or the rest of it. */
export function takenUnapplied({ depositId, partnerId, chain }: Place, received: Money): Posting {
  return {
    reference: referenceOf('unapplied_deposit_vanished', depositId),
    kind: 'unapplied_deposit_vanished',
    legs: postingLegs('unapplied_deposit_vanished', { partner: partnerId, chain, received }),
  };
}

/** Of a deposit that vanished before: what its order uses is given again, to be credited and owed. */
export function creditAndDebtOf(place: Place, share: OrderShare): Posting[] {
  return [postingOfShare('unapplied_deposit_restored', place, share), creditOf(place, share), debtOf(place, share)];
}
