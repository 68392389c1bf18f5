import { confirmDeadline, type Money, type OrderFacts, type OrderToTell } from '@vuka/domain';

import type { Order } from './order.store.js';

export function factsOf(order: Order, confirmMinutes: number): OrderFacts {
  const { state, reason, network, decimals, due, expiresAt, passedAt } = order;
  return {
    state,
    reason,
    decimals,
    due,
    expiresAt,
    passedAt,
    chain: network,
    confirmDeadline: confirmDeadline({ expiresAt, passedAt }, confirmMinutes * 60_000),
  };
}

/** `received`: final or not. */
export function toTell(
  order: Pick<Order, 'state' | 'reason' | 'network' | 'decimals' | 'due'>,
  received: Money,
): OrderToTell {
  const { state, reason, network, decimals, due } = order;
  return { state, reason, chain: network, decimals, due, received };
}
