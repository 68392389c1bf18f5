import { assetSymbol, type Chain } from '../chain/chain.js';
import { coverageOf } from '../deposit/tolerance.js';
import type { OrderReason, OrderState } from '../machine/order-table.js';
import { formatDecimal } from '../money/decimal.js';
import type { Money } from '../money/money.js';

export interface OrderToTell {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly chain: Chain['name'];
  readonly decimals: number;
  readonly due: Money;
  /** Matching value, final or not. */
  readonly received: Money;
}

/** `12500000, 6` → `12.5`. */
export function formatTokens(minor: bigint, decimals: number): string {
  const text = formatDecimal(minor, decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

const KEPT = 'can be sent back, or goes to the wallet';

/** For partners, in webhooks and answers. */
export function orderMessage(order: OrderToTell): string {
  const { state, reason, chain, decimals, received } = order;
  const due = `${formatTokens(order.due.minor, decimals)} ${assetSymbol(order.due.currency)} on ${chain}`;
  const arrived = formatTokens(received.minor, decimals);
  switch (state) {
    case 'PENDING':
      return `Waiting for ${due}.`;
    case 'PROCESSING':
      if (received.minor === 0n) return `What was seen of ${due} is not on the chain any more.`;
      if (coverageOf(received, order.due, order).verdict === 'short')
        return `${arrived} of ${due} was seen: the rest may be sent until the order expires.`;
      return `The payment of ${due} was seen.`;
    case 'COMPLETE':
      return reason === 'overpaid' ? `Paid: ${arrived} arrived for ${due}. The surplus ${KEPT}.` : `Paid: ${due}.`;
    case 'FAILED':
      return failed(order, due, arrived);
  }
}

function failed({ reason, due: { currency }, chain }: OrderToTell, due: string, arrived: string): string {
  switch (reason) {
    case 'underpaid':
      // Clients search for these words (decisions.md section 1, Texts).
      return `The payment has a mismatch equivalent amount in USD: ${arrived} of ${due} arrived in time. It ${KEPT}.`;
    case 'late':
      return `The payment of ${due} came after the order had expired. It ${KEPT}.`;
    case 'wrong_asset':
      return `The payment came in another token than ${assetSymbol(currency)}. It ${KEPT}.`;
    case 'wrong_network':
      return `The payment came on another network than ${chain}. It ${KEPT}.`;
    default:
      return `The order expired: nothing came of ${due}.`;
  }
}
