import { encodeAmount, type OrderView } from '@vuka/contracts';
import { acceptedTokens, chainNamed, encodeMinor, judgeOrder } from '@vuka/domain';

import { factsOf } from './order-facts.js';
import type { OrderDeposit } from './order-deposit.store.js';
import type { Order } from './order.store.js';

export function orderView(order: Order, deposits: readonly OrderDeposit[]): OrderView {
  // The received amount depends neither on time nor on waiting.
  const { received } = judgeOrder(factsOf(order, 0), deposits, order.createdAt);
  return {
    order_number: order.orderNumber,
    order_id: order.orderId,
    status: order.state,
    reason: order.reason,
    message: order.message,
    network: order.network,
    asset: order.asset,
    token: tokenOf(order),
    decimals: order.decimals,
    ...encodeAmount(order.amount),
    usd_cents: order.usdCents.toString(),
    rate: order.rate,
    due_minor: encodeMinor(order.due),
    received_minor: encodeMinor(received),
    address: order.address,
    memo_address: order.memoAddress,
    memo: order.memo,
    created_at: order.createdAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
    transaction_hash:
      deposits.findLast(({ state }) => state !== 'gone' && state !== 'reverted')?.transactionHash ?? null,
    page_token: order.pageToken,
  };
}

/** '': no longer accepted. */
function tokenOf({ network, asset }: Order): string {
  const chain = chainNamed(network);
  return (chain && acceptedTokens(chain).find(({ symbol }) => symbol === asset)?.address) ?? '';
}
