import { tokenNamed } from '../books/chain-facts.js';
import { chainMeantBy } from './named-deposit.js';
import { minorOf } from './sent-payout.js';

/** The query of `POST /v1/checkout/` (interface.md, Checkout order request). */
export interface OrderQuery {
  readonly network: string;
  readonly asset: string;
  readonly currency_code: string;
  readonly amount: number | string;
  readonly order_id: string;
}

/** What an order's request is answered with (decisions.md section 2), written down here a second time. */
export interface OrderAnswer {
  readonly address: string;
  /** Fiat per whole token. */
  readonly rate: number;
  /** US dollars. */
  readonly amount: number;
  /** Seconds left. */
  readonly expires_in: number;
  readonly order_id: string;
  readonly network: string;
  readonly asset: string;
  /** What is due: whole tokens, decimal. */
  readonly asset_amount: string;
  readonly memo_address: string;
  readonly memo: string;
  readonly expires_at: string;
  readonly status: string;
  readonly payment_url: string;
}

/** `POST /v1/checkout/status`. */
export interface OrderRow {
  readonly order_id: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly address: string;
  readonly network: string;
  readonly asset: string;
  readonly asset_amount: string;
  readonly received_amount: string;
  readonly rate: number;
  readonly amount: number;
  readonly expires_at: string;
  readonly transaction_hash: string | null;
}

/** What a partner remembers of an order it asked for. */
export interface SentOrder {
  readonly partner: number;
  /** The partner's `order_id`. */
  readonly id: string;
  /** By their one name each. */
  readonly network: string;
  readonly asset: string;
  readonly currency: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  /** As of a payout; one that was accepted stays so. */
  readonly outcome: 'accepted' | 'open' | 'refused';
  /** Every answer of 200 there was, oldest first. */
  readonly answers: readonly OrderAnswer[];
  /** Each status that was told, in order, whenever it changed. */
  readonly seen: readonly string[];
  /** The partner had a default webhook when it asked. */
  readonly isTold: boolean;
}

/** An order's name across partners. */
export const orderKey = ({ partner, id }: Pick<SentOrder, 'partner' | 'id'>): string => `${partner} order ${id}`;

/** What a query asks for, by the one name of each thing. Throws where its amount is no amount. */
export function orderMeantBy({
  network,
  asset,
  currency_code: currencyCode,
  amount,
}: OrderQuery): Pick<SentOrder, 'network' | 'asset' | 'currency' | 'amount'> {
  const chain = chainMeantBy(network);
  const currency = currencyCode.toUpperCase();
  return {
    network: chain,
    asset: tokenNamed(chain, asset)?.symbol ?? asset,
    currency,
    amount: minorOf(String(amount), currency),
  };
}
