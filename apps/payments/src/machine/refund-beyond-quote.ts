import { postingLegs, type Deposit } from '@vuka/domain';

import { type Move, type NewRefund, referenceOf, type TransactionIds } from '../commit/index.js';
import { groundOfPay, heldEvent, heldTold, isTooLittle } from '../value/index.js';
import type { TransactionSnapshot, TransactionStore } from '../transactions/index.js';

interface GoesAlong {
  readonly store: Pick<TransactionStore, 'beyondQuote'>;
  readonly ids: Pick<TransactionIds, 'take'>;
  readonly at: Date;
}

/**
 * A failed pay's deposit goes back to the address that it named (P7): what came beyond its quote by the same transfer goes there too, in the same commit, each by a
 * refund of its own (P11). Not what is less than the least that is sent on its chain, nor what has left `unapplied` by another way: where that happens
 * meanwhile the move is stale, and made anew.
 */
export async function withBeyondQuote(
  move: Move,
  snapshot: TransactionSnapshot,
  { store, ids, at }: GoesAlong,
): Promise<Move> {
  const { details, pay } = snapshot;
  const address = pay?.refundAddress ?? null;
  if (address === null || move.refunds === undefined) return move;
  const waiting = (await store.beyondQuote(details.id)).filter((deposit) => !isTooLittle(deposit));
  const refunds = await Promise.all(
    waiting.map(async (deposit) => refundOf(deposit, snapshot, address, await ids.take())),
  );
  return {
    ...move,
    postings: [...move.postings, ...refunds.map(({ refundId, partnerId, amount }) => (
      { reference: referenceOf('P11', refundId), kind: 'P11' as const, legs: postingLegs('P11', { partner: partnerId, received: amount }) }
    ))], // prettier-ignore
    depositPatches: [
      ...(move.depositPatches ?? []),
      ...refunds.map(({ depositId }) => ({ depositId, expected: 'unapplied' as const, state: 'refunding' as const })),
    ],
    refunds: [...move.refunds, ...refunds],
    outbox: [
      ...move.outbox,
      ...refunds.flatMap((refund) => [
        heldEvent(refund, at, details),
        ...heldTold(refund, groundOfPay(snapshot), { at, ...details }),
      ]),
    ],
  };
}

function refundOf(
  { depositId, chain, received, decimals }: Deposit,
  { details }: TransactionSnapshot,
  address: string,
  refundId: number,
): NewRefund {
  return {
    refundId,
    partnerId: details.partnerId,
    transactionId: details.id,
    depositId,
    chain,
    amount: received,
    decimals,
    address,
    origin: 'P11',
  };
}
