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

const MAX_TRIES = 5;

/**
 * Commits what `next` makes of what it reads, until nothing is left to do (null). `codeIsTaken`: another
 * transaction has the code. Resolves true if something was written. Throws if others are faster each time.
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

/** Two processes that insert the same deposit lock no common row: one finds the other's posting. */
async function outcomeOf(writer: CommitWriter, move: PaymentCommit): Promise<string> {
  try {
    return (await writer.commit(move, 'background')).outcome;
  } catch (error) {
    if (isUniqueViolation(error)) return 'exists';
    throw error;
  }
}

/** The currency is unknown before the order is settled: check only that it is above 0. */
const ANY_CURRENCY = { currency: '', decimals: 0 };

/** Throws PermanentEventError if the facts are invalid. */
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

/** deposit_unapplied, once for ever, whichever event brings the value. */
export function incomingTransferOf({ depositId, partnerId, chain, received }: NewDeposit): Posting {
  return {
    reference: depositReference({ depositId }),
    kind: 'deposit_unapplied',
    legs: postingLegs('deposit_unapplied', { partner: partnerId, chain, received }),
  };
}

/** Throws PermanentEventError if the deposit has another owner or value. */
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

export function creditOf(place: Place, share: OrderShare): Posting {
  return postingOfShare('order_settled', place, share);
}

/** The deposit vanished after its order was credited: the partner owes exactly that. */
export function debtOf(place: Place, share: OrderShare): Posting {
  return postingOfShare('order_deposit_vanished', place, share);
}

/** It vanished while unapplied, whole or the rest. */
export function takenUnapplied({ depositId, partnerId, chain }: Place, received: Money): Posting {
  return {
    reference: referenceOf('unapplied_deposit_vanished', depositId),
    kind: 'unapplied_deposit_vanished',
    legs: postingLegs('unapplied_deposit_vanished', { partner: partnerId, chain, received }),
  };
}

/** It vanished before its order: the used part is restored, credited and owed. */
export function creditAndDebtOf(place: Place, share: OrderShare): Posting[] {
  return [postingOfShare('unapplied_deposit_restored', place, share), creditOf(place, share), debtOf(place, share)];
}
