import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

/** What the row of a credited order says of its order. */
export interface OrderCredit {
  /** The partner's. */
  readonly orderId: string;
  readonly chain: string;
  /** The token's symbol. */
  readonly asset: string;
  /** Canonical. */
  readonly transactionHash: string;
  /** Fiat per whole token, frozen for the order. */
  readonly rate: string;
}

/** An order that has made up its mind, also where that is nothing. */
export interface SettledOrder {
  readonly orderNumber: number;
  readonly partnerId: number;
  /** The partner's. */
  readonly orderId: string;
  /** Of the wallet that its deposits are worth something in. */
  readonly currency: string;
}

/** What is kept of checkout's orders beside their deposits. Nothing here is money: rows without a move that goes with them say nothing. */
@Injectable()
export class OrderStore {
  constructor(@Inject(Database) private readonly db: Queryable) {}

  async remember({ orderNumber, partnerId, orderId, currency }: SettledOrder): Promise<void> {
    await this.db.query(
      'insert into orders (order_number, partner_id, order_id, currency) values ($1, $2, $3, $4) on conflict do nothing',
      [orderNumber, partnerId, orderId, currency],
      { name: 'order_remember' },
    );
  }

  async rememberCredit(
    orderNumber: number,
    { orderId, chain, asset, transactionHash, rate }: OrderCredit,
  ): Promise<void> {
    await this.db.query(
      'insert into order_credits (transaction_id, order_id, chain, asset, transaction_hash, rate) values ($1, $2, $3, $4, $5, $6) on conflict do nothing',
      [orderNumber, orderId, chain, asset, transactionHash, rate],
      { name: 'order_credit_remember' },
    );
  }

  async isCredited(orderNumber: number): Promise<boolean> {
    const rows = await this.db.query('select 1 from transactions where id = $1', [orderNumber], {
      name: 'order_is_credited',
    });
    return rows.length > 0;
  }
}
