import { confirmDeadline, tokenAsset, type Asset, type OrderFacts, type OrderToTell } from '@vuka/domain';

import type { Order } from './order.store.js';

/** The ledger's name of what an order is paid in. */
export const assetOf = ({ asset, network }: Pick<Order, 'asset' | 'network'>): Asset =>
  tokenAsset({ name: network }, { symbol: asset });

/** What an order is judged by. */
export function factsOf(order: Order, confirmMinutes: number): OrderFacts {
  const { state, reason, network, decimals, dueMinor, expiresAt, passedAt } = order;
  return {
    state,
    reason,
    decimals,
    dueMinor,
    expiresAt,
    passedAt,
    chain: network,
    asset: assetOf(order),
    confirmDeadline: confirmDeadline({ expiresAt, passedAt }, confirmMinutes * 60_000),
  };
}

/** What its message is about. `receivedMinor`: what counts of what has arrived, final or not. */
export function toTell(
  order: Pick<Order, 'state' | 'reason' | 'network' | 'asset' | 'decimals' | 'dueMinor'>,
  receivedMinor: bigint,
): OrderToTell {
  const { state, reason, network, decimals, dueMinor } = order;
  return { state, reason, chain: network, asset: assetOf(order), decimals, dueMinor, receivedMinor };
}
