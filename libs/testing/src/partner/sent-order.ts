import { tokenNamed } from '../books/chain-facts.js';
import { chainMeantBy } from './named-deposit.js';
import { minorOf } from './sent-payout.js';

export interface OrderQuery {
  readonly network: string;
  readonly asset: string;
  readonly currency_code: string;
  readonly amount: number | string;
  readonly order_id: string;
}

/** The answer to an order request (decisions.md section 2); a second copy. */
export interface OrderAnswer {
  readonly address: string;
  /** Fiat per whole token. */
  readonly rate: number;
  /** US dollars. */
  readonly amount: number;
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

export interface SentOrder {
  readonly partner: number;
  readonly id: string;
  readonly network: string;
  readonly asset: string;
  readonly currency: string;
  /** Minor units of the currency. */
  readonly amount: bigint;
  readonly outcome: 'accepted' | 'open' | 'refused';
  readonly answers: readonly OrderAnswer[];
  readonly seen: readonly string[];
  readonly isTold: boolean;
}

export const orderKey = ({ partner, id }: Pick<SentOrder, 'partner' | 'id'>): string => `${partner} order ${id}`;

/** In normalised form. Throws where the amount is invalid. */
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
