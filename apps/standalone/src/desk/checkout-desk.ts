import { CHECKOUT_MIGRATIONS, OrderDesk, type OrderReport } from '@vuka/checkout';
import { ORDER_CONFIRM_MS, formatDecimal, currencyDecimals } from '@vuka/domain';
import { DeadLetterStore } from '@vuka/messaging';
import type { MoneyView } from '@vuka/payments';
import { Database, type DatabaseConfig } from '@vuka/persistence';

/** An open order and what it waits for. */
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

/** One order's whole life. */
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
  /** When its chain was looked through past its end. */
  readonly passed_at: string | null;
  readonly ended_at: string | null;
  readonly transitions: readonly { readonly sequence: number; readonly from: string | null; readonly to: string; readonly event: string; readonly detail: string; readonly at: string }[];
  readonly deposits: readonly OrderDepositView[];
}

export interface OrderDepositView {
  readonly claim_id: number;
  readonly deposit_id: number | null;
  readonly received: MoneyView;
  readonly state: string;
  readonly transaction_hash: string;
  readonly block_time: string;
  /** What the order used of it; null: nothing was said of it yet. */
  readonly used: MoneyView | null;
  readonly credited: MoneyView | null;
}

const MOST_SHOWN = 200;

/** What checkout's tables tell the desk. */
export class CheckoutDesk {
  /** Of the events that checkout reads. */
  readonly letters: DeadLetterStore;
  private readonly orders: OrderDesk;

  private constructor(private readonly db: Database) {
    this.letters = new DeadLetterStore(db);
    this.orders = new OrderDesk(db);
  }

  static async open(database: Omit<DatabaseConfig, 'migrations' | 'entities'>): Promise<CheckoutDesk> {
    return new CheckoutDesk(await Database.connect({ ...database, migrations: [] }));
  }

  /** Names of migrations that this program knows and the folder has not run. */
  async missingMigrations(): Promise<string[]> {
    const ran = await this.db.query<{ name: string }>('select name from migrations');
    const names = new Set(ran.map(({ name }) => name));
    return CHECKOUT_MIGRATIONS.map((migration) => String(new migration().name)).filter((name) => !names.has(name));
  }

  /** Those whose end is longest ago first. */
  async open(now: Date): Promise<{ orders: OpenOrderView[]; more: boolean }> {
    const { orders, more } = await this.orders.open(now, ORDER_CONFIRM_MS, MOST_SHOWN);
    return {
      orders: orders.map(({ orderNumber, orderId, partnerId, network, asset, state, why, isStuck, createdAt, expiresAt }) => ({
        order_number: orderNumber, order_id: orderId, partner_id: partnerId, network, asset, state, why, stuck: isStuck, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString(),
      })),
      more,
    };
  }

  /** By its number or the code of the transaction that credits it; `partnerId` null: whoever's. */
  async show(numberOrCode: string, partnerId: number | null): Promise<OrderPage | undefined> {
    const report = await this.orders.show(numberOrCode);
    return report === undefined || (partnerId !== null && report.order.partnerId !== partnerId) ? undefined : pageOf(report);
  }

  close(): Promise<void> {
    return this.db.close();
  }
}

function pageOf({ order, transitions, deposits }: OrderReport): OrderPage {
  const fiat = (minor: bigint): MoneyView => ({ amount: formatDecimal(minor, currencyDecimals(order.currency)), currency: order.currency });
  return {
    order_number: order.orderNumber, order_id: order.orderId, transaction_code: order.transactionCode, partner_id: order.partnerId,
    state: order.state, reason: order.reason, message: order.message,
    amount: fiat(order.amountMinor), due: { amount: formatDecimal(order.dueMinor, order.decimals), currency: `${order.asset}@${order.network}` }, rate: order.rate, address: order.address,
    created_at: order.createdAt.toISOString(), expires_at: order.expiresAt.toISOString(), passed_at: order.passedAt?.toISOString() ?? null, ended_at: order.endedAt?.toISOString() ?? null,
    transitions: transitions.map(({ sequence, from, to, event, detail, at }) => ({ sequence, from, to, event, detail, at: at.toISOString() })),
    deposits: deposits.map((deposit) => {
      const tokens = (minor: bigint): MoneyView => ({ amount: formatDecimal(minor, deposit.decimals), currency: deposit.asset });
      return {
        claim_id: deposit.claimId, deposit_id: deposit.depositId, received: tokens(deposit.receivedMinor), state: deposit.state,
        transaction_hash: deposit.transactionHash, block_time: deposit.blockTime.toISOString(),
        used: deposit.usedMinor === null ? null : tokens(deposit.usedMinor), credited: deposit.creditedMinor === null ? null : fiat(deposit.creditedMinor),
      };
    }),
  };
}
