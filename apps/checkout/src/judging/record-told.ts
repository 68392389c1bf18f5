import { decodeDeposit, type Envelope } from '@vuka/contracts';
import { decodeMoney } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';

import { OrderDepositStore, type ToldDeposit } from '../orders/index.js';

export type OrderDepositEvent = Envelope<
  | 'order-deposit.seen'
  | 'order-deposit.confirmed'
  | 'order-deposit.gone'
  | 'order-deposit.reverted'
  | 'order-watch.passed'
>;

type Facts = Envelope<'order-deposit.reverted'>['data']['deposit'];

/** Events are ordered by sequence and not by time, so repeated or late events leave the same rows. */
export async function recordTold(tx: Queryable, event: OrderDepositEvent, now: Date): Promise<void> {
  const store = new OrderDepositStore(tx);
  switch (event.type) {
    case 'order-deposit.seen':
      return recordSeen(store, event as Envelope<'order-deposit.seen'>, now);
    case 'order-deposit.confirmed': {
      const {
        order_number: orderNumber,
        claim_id: claimId,
        deposits,
        screening_hit: isScreened,
      } = (event as Envelope<'order-deposit.confirmed'>).data;
      const firstSeenAt = await replaceSeen(store, event as Envelope<'order-deposit.confirmed'>, now);
      for (const facts of deposits)
        await store.tell(
          {
            ...deposited(facts),
            orderNumber,
            claimId,
            state: isScreened ? 'screened' : 'confirmed',
            sequence: event.sequence,
            firstSeenAt,
          },
          now,
        );
      return;
    }
    case 'order-deposit.reverted': {
      const {
        order_number: orderNumber,
        claim_id: claimId,
        deposit,
      } = (event as Envelope<'order-deposit.reverted'>).data;
      const firstSeenAt = await replaceSeen(store, event as Envelope<'order-deposit.reverted'>, now);
      return store.tell(
        { ...deposited(deposit), orderNumber, claimId, state: 'reverted', sequence: event.sequence, firstSeenAt },
        now,
      );
    }
    case 'order-deposit.gone': {
      const { order_number: orderNumber, claim_id: claimId } = (event as Envelope<'order-deposit.gone'>).data;
      await store.noteWord(orderNumber, claimId, event.sequence);
      return store.gone(orderNumber, claimId, event.sequence, now);
    }
    case 'order-watch.passed':
      return;
  }
}

async function recordSeen(
  store: OrderDepositStore,
  { data, sequence }: Envelope<'order-deposit.seen'>,
  now: Date,
): Promise<void> {
  const {
    order_number: orderNumber,
    claim_id: claimId,
    chain,
    transaction_hash: transactionHash,
    block_time: blockTime,
    values,
  } = data;
  if ((await store.newestWord(orderNumber, claimId)) > sequence) return;
  await store.noteWord(orderNumber, claimId, sequence);
  const seen = {
    orderNumber,
    claimId,
    depositId: null,
    chain,
    transactionHash,
    blockTime: new Date(blockTime),
    state: 'seen' as const,
    arrived: null,
    sequence,
    firstSeenAt: now,
  };
  for (const { asset, decimals, received_minor: received } of values)
    await store.tell({ ...seen, decimals, received: decodeMoney(received, asset) }, now);
  // Each event is complete: in another block a transfer may bring other tokens.
  await store.gone(orderNumber, claimId, sequence, now);
}

/** A final event is complete and replaces what was only seen of its claim. */
async function replaceSeen(
  store: OrderDepositStore,
  { data, sequence }: Envelope<'order-deposit.confirmed' | 'order-deposit.reverted'>,
  now: Date,
): Promise<Date> {
  await store.noteWord(data.order_number, data.claim_id, sequence);
  return (await store.replaceSeen(data.order_number, data.claim_id, sequence)) ?? now;
}

function deposited(
  facts: Facts,
): Pick<ToldDeposit, 'depositId' | 'chain' | 'received' | 'decimals' | 'transactionHash' | 'blockTime' | 'arrived'> {
  const arrived = decodeDeposit(facts);
  const { depositId, chain, received, decimals, transactionHash, blockTime } = arrived;
  return { depositId, chain, received, decimals, transactionHash, blockTime, arrived };
}
