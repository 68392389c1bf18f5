import { postingLegs, type Deposit } from '@vuka/domain';

import { type PaymentCommit, type NewRefund, referenceOf, type TransactionIds } from '../commit/index.js';
import { groundOfPay, heldEvent, heldTold, isTooLittle } from '../value/index.js';
import type { TransactionSnapshot, TransactionStore } from '../transactions/index.js';

interface GoesAlong {
  readonly store: Pick<TransactionStore, 'beyondQuote'>;
  readonly ids: Pick<TransactionIds, 'take'>;
  readonly at: Date;
}

/**
 * With a failed pay's refund, deposits of the same transfer beyond its quote go to the same address in the same
 * commit, each as its own refund. Not those below the chain's minimum. If one leaves `unapplied` meanwhile, the
 * commit is stale and made again.
 */
export async function withBeyondQuote(
  move: PaymentCommit,
  snapshot: TransactionSnapshot,
  { store, ids, at }: GoesAlong,
): Promise<PaymentCommit> {
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
      { reference: referenceOf('unapplied_refund_held', refundId), kind: 'unapplied_refund_held' as const, legs: postingLegs('unapplied_refund_held', { partner: partnerId, received: amount }) }
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
    origin: 'unapplied_refund_held',
  };
}
