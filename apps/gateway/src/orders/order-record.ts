import type { OrderView } from '@vuka/contracts';
import { formatDecimal } from '@vuka/domain';
import { LosslessNumber } from 'lossless-json';

import { jsonNumber } from '../calls/index.js';

/** decisions.md section 2, checkout and order status. */
interface OrderFacts {
  readonly order_id: string;
  readonly status: OrderView['status'];
  readonly network: string;
  readonly asset: string;
  /** Due, in whole tokens with the token's decimals. */
  readonly asset_amount: string;
  readonly address: string;
  /** Fiat per whole token, digit for digit. */
  readonly rate: LosslessNumber;
  /** US dollars, two decimals. */
  readonly amount: LosslessNumber;
  readonly expires_at: string;
}

export interface OrderRecord extends OrderFacts {
  /** Whole seconds, at least 0. */
  readonly expires_in: number;
  readonly memo_address: string;
  readonly memo: string;
  readonly payment_url: string;
}

export interface OrderStatusRecord extends OrderFacts {
  readonly reason: OrderView['reason'];
  readonly message: string;
  /** Whole tokens with the token's decimals. */
  readonly received_amount: string;
  /** Of the newest transfer; null: none. */
  readonly transaction_hash: string | null;
}

function factsOf(order: OrderView): OrderFacts {
  return {
    order_id: order.order_id,
    status: order.status,
    network: order.network,
    asset: order.asset,
    asset_amount: formatDecimal(BigInt(order.due_minor), order.decimals),
    address: order.address,
    rate: jsonNumber(order.rate),
    amount: new LosslessNumber(formatDecimal(BigInt(order.usd_cents), USD_DECIMALS)),
    expires_at: order.expires_at,
  };
}

const USD_DECIMALS = 2;

/** Time left counts from `now`. */
export function orderRecord(order: OrderView, paymentUrl: string, now: Date): OrderRecord {
  return {
    ...factsOf(order),
    expires_in: secondsLeft(order, now),
    memo_address: order.memo_address,
    memo: order.memo,
    payment_url: paymentUrl,
  };
}

/** Rounded up; capped, because the clock that made the order may be ahead. */
function secondsLeft({ created_at, expires_at }: OrderView, now: Date): number {
  const end = Date.parse(expires_at);
  const lives = Math.ceil((end - Date.parse(created_at)) / 1_000);
  return Math.min(lives, Math.max(0, Math.ceil((end - now.getTime()) / 1_000)));
}

export function orderStatusRecord(order: OrderView): OrderStatusRecord {
  const { reason, message, received_minor, decimals, transaction_hash } = order;
  return {
    ...factsOf(order),
    reason,
    message,
    received_amount: formatDecimal(BigInt(received_minor), decimals),
    transaction_hash,
  };
}
