import { Inject, Injectable } from '@nestjs/common';
import { Database, type Queryable } from '@vuka/persistence';

export interface OrderCredit {
  readonly orderId: string;
  readonly chain: string;
  /** Token symbol. */
  readonly asset: string;
  /** Canonical. */
  readonly transactionHash: string;
  /** Fiat per whole token. */
  readonly rate: string;
}

/** Settled, even with nothing credited. */
export interface SettledOrder {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly orderId: string;
  /** The wallet's currency. */
  readonly currency: string;
}

/** No money: rows without their commit mean nothing. */
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
