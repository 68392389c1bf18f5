import { Inject, Injectable, Module } from '@nestjs/common';
import { partnerIdGiven, reads, type OpenAdmin } from '@vuka/contracts';
import { ORDER_CONFIRM_MS, formatDecimal, formatMoney, type Money } from '@vuka/domain';
import { deadLetterMethods } from '@vuka/messaging';
import { actMethods, Database, resealMethods, type SealedColumn } from '@vuka/persistence';
import { type Clock, urlBinding, WebhookCipher } from '@vuka/runtime';
import { CLOCK, type AdminGround, openAdmin } from '@vuka/service-host';
import { z } from 'zod';

import { OrderDepositStore, OrderStore } from '../orders/index.js';
import { CHECKOUT_MIGRATIONS } from '../store/migrations.js';
import { OrderAdmin, type OrderReport, type OrderRow } from './order-admin.js';

interface MoneyView {
  readonly amount: string;
  readonly currency: string;
}

export interface OpenOrderView {
  readonly order_number: number;
  readonly order_id: string;
  readonly partner_id: number;
  readonly network: string;
  readonly asset: string;
  readonly state: string;
  readonly why: string;
  readonly stuck: boolean;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface OrderPage {
  readonly order_number: number;
  readonly order_id: string;
  readonly transaction_code: string;
  readonly partner_id: number;
  readonly state: string;
  readonly reason: string;
  readonly message: string;
  readonly amount: MoneyView;
  /** In whole tokens. */
  readonly due: MoneyView;
  readonly rate: string;
  readonly address: string;
  readonly created_at: string;
  readonly expires_at: string;
  /** When its chain was scanned past its end. */
  readonly passed_at: string | null;
  readonly ended_at: string | null;
  readonly transitions: readonly {
    readonly sequence: number;
    readonly from: string | null;
    readonly to: string;
    readonly event: string;
    readonly detail: string;
    readonly at: string;
  }[];
  readonly deposits: readonly OrderDepositView[];
}

export interface OrderDepositView {
  readonly claim_id: number;
  readonly deposit_id: number | null;
  readonly received: MoneyView;
  readonly state: string;
  readonly transaction_hash: string;
  readonly block_time: string;
  /** null: not settled yet. */
  readonly used: MoneyView | null;
  readonly credited: MoneyView | null;
}

export type CheckoutAdminMethods = ReturnType<typeof actMethods> &
  ReturnType<typeof deadLetterMethods> &
  ReturnType<typeof resealMethods> &
  ReturnType<typeof methodsOf>;

const MOST_SHOWN = 200;

@Injectable()
export class CheckoutAdmin {
  readonly methods: CheckoutAdminMethods;

  constructor(db: Database, orders: OrderAdmin, @Inject(CLOCK) clock: Clock, told: WebhookCipher) {
    this.methods = {
      ...actMethods(db),
      ...deadLetterMethods(db, clock),
      ...resealMethods(db, clock, sealedColumns(told)),
      ...methodsOf(orders, clock),
    };
  }
}

@Module({ providers: [OrderStore, OrderDepositStore, OrderAdmin, CheckoutAdmin] })
class AdminModule {}

/** Uses checkout's own login. Throws if the database refuses it or is away. */
export function openCheckoutAdmin(ground: AdminGround): Promise<OpenAdmin<CheckoutAdminMethods>> {
  return openAdmin(
    { name: 'checkout', migrations: CHECKOUT_MIGRATIONS, module: AdminModule, root: CheckoutAdmin },
    ground,
  );
}

/** URLs as gateway sealed them. */
const sealedColumns = (told: WebhookCipher): SealedColumn[] => [
  {
    table: 'orders',
    column: 'callback_url',
    key: { order_number: 'bigint' },
    reads: ['partner_id'],
    cipher: told,
    isUrl: true,
    boundTo: ({ partner_id: partnerId = '' }) => urlBinding(partnerId),
  },
];

const methodsOf = (orders: OrderAdmin, clock: Clock) => ({
  /** Oldest end first. */
  openOrders: reads([], async (): Promise<{ orders: OpenOrderView[]; more: boolean }> => {
    const page = await orders.open(clock.now(), ORDER_CONFIRM_MS, MOST_SHOWN);
    return { orders: page.orders.map(openOrderView), more: page.more };
  }),
  /** By number or transaction code. `partnerId` null: any partner. */
  order: reads(
    [z.string().min(1).max(100), partnerIdGiven.nullable()],
    async (numberOrCode, partnerId): Promise<OrderPage | undefined> => {
      const report = await orders.show(numberOrCode);
      return report === undefined || (partnerId !== null && report.order.partnerId !== partnerId)
        ? undefined
        : pageOf(report);
    },
  ),
});

function openOrderView(order: OrderRow): OpenOrderView {
  return {
    order_number: order.orderNumber,
    order_id: order.orderId,
    partner_id: order.partnerId,
    network: order.network,
    asset: order.asset,
    state: order.state,
    why: order.why,
    stuck: order.isStuck,
    created_at: order.createdAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
  };
}

function pageOf({ order, transitions, deposits }: OrderReport): OrderPage {
  const fiat = (amount: Money): MoneyView => ({ amount: formatMoney(amount), currency: amount.currency });
  return {
    order_number: order.orderNumber,
    order_id: order.orderId,
    transaction_code: order.transactionCode,
    partner_id: order.partnerId,
    state: order.state,
    reason: order.reason,
    message: order.message,
    amount: fiat(order.amount),
    due: { amount: formatDecimal(order.due.minor, order.decimals), currency: order.due.currency },
    rate: order.rate,
    address: order.address,
    created_at: order.createdAt.toISOString(),
    expires_at: order.expiresAt.toISOString(),
    passed_at: order.passedAt?.toISOString() ?? null,
    ended_at: order.endedAt?.toISOString() ?? null,
    transitions: transitions.map(({ sequence, from, to, event, detail, at }) => ({
      sequence,
      from,
      to,
      event,
      detail,
      at: at.toISOString(),
    })),
    deposits: deposits.map((deposit) => {
      const tokens = ({ minor, currency }: Money): MoneyView => ({
        amount: formatDecimal(minor, deposit.decimals),
        currency,
      });
      return {
        claim_id: deposit.claimId,
        deposit_id: deposit.depositId,
        received: tokens(deposit.received),
        state: deposit.state,
        transaction_hash: deposit.transactionHash,
        block_time: deposit.blockTime.toISOString(),
        used: deposit.used && tokens(deposit.used),
        credited: deposit.credited && fiat(deposit.credited),
      };
    }),
  };
}
