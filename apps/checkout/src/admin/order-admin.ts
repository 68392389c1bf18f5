import { Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';

import {
  type Order,
  type OrderDeposit,
  OrderDepositStore,
  OrderStore,
  type OrderTransition,
  STUCK_AFTER_MS,
} from '../orders/index.js';

export interface OrderRow {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly orderId: string;
  readonly network: string;
  readonly asset: string;
  readonly state: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly why: string;
  readonly isStuck: boolean;
}

export interface OrdersPage {
  readonly orders: readonly OrderRow[];
  readonly more: boolean;
}

export interface OrderReport {
  readonly order: Order;
  readonly transitions: readonly OrderTransition[];
  readonly deposits: readonly OrderDeposit[];
}

/** Read only. */
@Injectable()
export class OrderAdmin {
  constructor(
    private readonly db: Database,
    private readonly orders: OrderStore,
    private readonly deposits: OrderDepositStore,
  ) {}

  /** Oldest end first. `confirmMs`: time for a timely sighting to become final. */
  public async open(now: Date, confirmMs: number, most: number): Promise<OrdersPage> {
    const rows = await this.db.query<
      Omit<OrderRow, 'why' | 'isStuck' | 'orderNumber' | 'partnerId'> & {
        orderNumber: string;
        partnerId: string;
        passedAt: Date | null;
      }
    >(
      `select order_number as "orderNumber", partner_id as "partnerId", order_id as "orderId", network, asset, state, created_at as "createdAt", expires_at as "expiresAt",
         passed_at as "passedAt"
       from orders where state in ('PENDING', 'PROCESSING') order by expires_at, order_number limit $1`,
      [most + 1],
    );
    const orders = rows.slice(0, most).map(({ passedAt, ...row }): OrderRow => {
      const isPast = row.expiresAt <= now;
      const lateSince =
        passedAt === null ? row.expiresAt.getTime() : Math.max(row.expiresAt.getTime(), passedAt.getTime()) + confirmMs;
      const why = !isPast
        ? 'it is still open'
        : passedAt === null
          ? 'its chain is not scanned past its end yet'
          : 'its transfer arrived in time and is not final yet';
      return {
        ...row,
        orderNumber: Number(row.orderNumber),
        partnerId: Number(row.partnerId),
        why,
        isStuck: now.getTime() - lateSince > STUCK_AFTER_MS,
      };
    });
    return { orders, more: rows.length > most };
  }

  /** By number or transaction code. */
  public async show(numberOrCode: string): Promise<OrderReport | undefined> {
    const byNumber = /^[1-9]\d{15}$/.test(numberOrCode) ? await this.orders.byNumber(Number(numberOrCode)) : undefined;
    const order = byNumber ?? (await this.orders.byTransactionCode(numberOrCode));
    if (order === undefined) return undefined;
    const [transitions, deposits] = await Promise.all([
      this.orders.historyOf(order.orderNumber),
      this.deposits.of(order),
    ]);
    return { order, transitions, deposits };
  }
}
