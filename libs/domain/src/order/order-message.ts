import type { OrderReason, OrderState } from '../machine/order-table.js';
import { assetSymbol, type Chain } from '../chain/chain.js';
import { formatDecimal, type Asset } from '../money.js';

/** What an order's message is about. Amounts in token minor units. */
export interface OrderToTell {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly chain: Chain['name'];
  readonly asset: Asset;
  readonly decimals: number;
  readonly dueMinor: bigint;
  /** What counts of what has arrived, final or not. */
  readonly receivedMinor: bigint;
}

/** `12500000, 6` → `12.5`: tokens as a sentence shows them. */
export function formatTokens(minor: bigint, decimals: number): string {
  const text = formatDecimal(minor, decimals);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** The sentence that partners get with an order, in webhooks and answers: what has happened, and what becomes of the money. */
export function orderMessage(order: OrderToTell): string {
  const { chain, asset, decimals, dueMinor, receivedMinor } = order;
  const due = `${formatTokens(dueMinor, decimals)} ${assetSymbol(asset)} on ${chain}`;
  const arrived = formatTokens(receivedMinor, decimals);
  switch (order.state) {
    case 'PENDING':
      return `Waiting for ${due}.`;
    case 'PROCESSING':
      return receivedMinor >= dueMinor ? `The payment of ${due} has been seen and is not final yet.` : `${arrived} of ${due} has been seen; what is missing may be sent until the order expires.`;
    case 'COMPLETE':
      return order.reason === 'overpaid' ? `Paid. ${arrived} arrived for ${due}: what is more than that is kept for you.` : 'Paid.';
    case 'FAILED':
      return failed(order, due, arrived);
  }
}

function failed({ reason, asset, chain }: OrderToTell, due: string, arrived: string): string {
  switch (reason) {
    case 'underpaid':
      return `The payment has a mismatch equivalent amount in USD: ${arrived} of ${due} arrived in time. It is kept for you.`;
    case 'late':
      return `The payment came after the order had expired. It is kept for you.`;
    case 'wrong_asset':
      return `The payment is in another token than ${assetSymbol(asset)}. It is kept for you.`;
    case 'wrong_network':
      return `The payment came on another network than ${chain}. It is kept for you.`;
    default:
      return 'The order expired without a payment.';
  }
}
