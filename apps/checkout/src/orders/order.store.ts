import { Injectable } from '@nestjs/common';
import { decodeMoney, encodeMinor, tokenAsset, type Money, type OrderReason, type OrderState } from '@vuka/domain';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

/** Never changes. */
export interface OrderDetails {
  /** Also the number of the crediting transaction. */
  readonly orderNumber: number;
  readonly partnerId: number;
  /** The partner's. */
  readonly orderId: string;
  readonly fingerprint: string;
  readonly transactionCode: string;
  readonly pageToken: string;
  readonly network: string;
  /** Token symbol. */
  readonly asset: string;
  readonly decimals: number;
  readonly amount: Money;
  readonly usdCents: bigint;
  /** Fiat per whole token. */
  readonly rate: string;
  /** In the token. */
  readonly due: Money;
  readonly address: string;
  readonly memoAddress: string;
  readonly memo: string;
  readonly callbackUrl: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly correlationId: string;
  readonly causationId: string;
}

export interface OrderStanding {
  readonly state: OrderState;
  readonly reason: OrderReason;
  readonly message: string;
  /** Three separate counters: history, partner events, settlement events. */
  readonly sequence: number;
  readonly publicSequence: number;
  readonly settledSequence: number;
  /** When offramp reported that the chain is past its end. */
  readonly passedAt: Date | null;
  /** When time alone may end it; null: it has ended. */
  readonly dueAt: Date | null;
  readonly endedAt: Date | null;
}

export type Order = OrderDetails & OrderStanding;

export interface OrderLoadAsked {
  readonly mostOpen: number;
  readonly madeAfter: Date;
  readonly mostMade: number;
}

export interface OrderLoad {
  readonly open: number;
  /** US cents. */
  readonly openCents: bigint;
  /** When the oldest of the newest `mostMade` was made; null: fewer since `madeAfter`. */
  readonly mostMadeSince: Date | null;
}

export interface OrderTransition {
  readonly orderNumber: number;
  readonly sequence: number;
  /** null: it was made. */
  readonly from: OrderState | null;
  readonly to: OrderState;
  readonly event: string;
  readonly detail: string;
  readonly at: Date;
}

interface StoredDetails extends Omit<OrderDetails, 'amount' | 'due' | 'usdCents'> {
  readonly currency: string;
  readonly amountMinor: string;
  readonly dueMinor: string;
  readonly usdCents: string;
}
type StoredOrder = StoredDetails & OrderStanding;

type Row = Omit<StoredOrder, 'orderNumber' | 'partnerId'> & {
  readonly orderNumber: string;
  readonly partnerId: string;
};

const TERMS = {
  orderNumber: 'order_number', partnerId: 'partner_id', orderId: 'order_id', fingerprint: 'fingerprint', transactionCode: 'transaction_code', pageToken: 'page_token',
  network: 'network', asset: 'asset', decimals: 'decimals', currency: 'currency', amountMinor: 'amount_minor', usdCents: 'usd_cents', rate: 'rate', dueMinor: 'due_minor',
  address: 'address', memoAddress: 'memo_address', memo: 'memo', callbackUrl: 'callback_url', createdAt: 'created_at', expiresAt: 'expires_at',
  correlationId: 'correlation_id', causationId: 'causation_id',
} as const satisfies Record<keyof StoredDetails, string>; // prettier-ignore

const STANDING = {
  state: 'state', reason: 'reason', message: 'message', sequence: 'sequence', publicSequence: 'public_sequence', settledSequence: 'settled_sequence',
  passedAt: 'passed_at', dueAt: 'due_at', endedAt: 'ended_at',
} as const satisfies Record<keyof OrderStanding, string>; // prettier-ignore

const COLUMNS = { ...TERMS, ...STANDING };
const NAMES = Object.keys(COLUMNS) as (keyof StoredOrder)[];
const SELECT = NAMES.map((name) => `${COLUMNS[name]} as "${name}"`).join(', ');
const INSERT = `insert into orders (${NAMES.map((name) => COLUMNS[name]).join(', ')}, updated_at, place) values (${NAMES.map((_, place) => `$${place + 1}`).join(', ')}, $${NAMES.length + 1},
    (select coalesce(max(place), 0) + 1 from orders where partner_id = $${NAMES.indexOf('partnerId') + 1}))
  on conflict on constraint orders_order_id_key do nothing returning order_number`;
const STANDING_NAMES = Object.keys(STANDING) as (keyof OrderStanding)[];
const UPDATE = `update orders set ${STANDING_NAMES.map((name, place) => `${STANDING[name]} = $${place + 2}`).join(', ')}, updated_at = $${STANDING_NAMES.length + 2} where order_number = $1`;

const LOAD = `select count(*)::integer as open, coalesce(sum(usd_cents), 0)::text as cents,
    (select created_at from orders where partner_id = $1 and created_at > $3 and place = (select max(place) from orders where partner_id = $1) - $4::bigint + 1) as since
  from (select usd_cents from orders where partner_id = $1 and state in ('PENDING', 'PROCESSING') limit $2) counted`;

@Injectable()
export class OrderStore {
  public constructor(private readonly db: Database) {}

  public inTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.db.inTransaction(work);
  }

  public async named(partnerId: number, orderId: string): Promise<Order | undefined> {
    return orderOf(
      await this.db.query<Row>(
        `select ${SELECT} from orders where partner_id = $1 and order_id = $2`,
        [partnerId, orderId],
        { name: 'orders_named' },
      ),
    );
  }

  public async byToken(pageToken: string): Promise<Order | undefined> {
    return orderOf(
      await this.db.query<Row>(`select ${SELECT} from orders where page_token = $1`, [pageToken], {
        name: 'orders_by_token',
      }),
    );
  }

  public async byNumber(orderNumber: number): Promise<Order | undefined> {
    return orderOf(
      await this.db.query<Row>(`select ${SELECT} from orders where order_number = $1`, [orderNumber], {
        name: 'orders_by_number',
      }),
    );
  }

  public async byTransactionCode(code: string): Promise<Order | undefined> {
    return orderOf(
      await this.db.query<Row>(`select ${SELECT} from orders where transaction_code = $1`, [code], {
        name: 'orders_by_code',
      }),
    );
  }

  public async loadOf(partnerId: number, { mostOpen, madeAfter, mostMade }: OrderLoadAsked): Promise<OrderLoad> {
    const [found] = await this.db.query<{ open: number; cents: string; since: Date | null }>(
      LOAD,
      [partnerId, mostOpen, madeAfter, mostMade],
      { name: 'orders_load_of' },
    );
    return { open: found?.open ?? 0, openCents: BigInt(found?.cents ?? 0), mostMadeSince: found?.since ?? null };
  }

  public async nextNumber(): Promise<number> {
    const [row] = await this.db.query<{ number: string }>(`select nextval('order_numbers') as number`, [], {
      name: 'orders_next_number',
    });
    return Number(row?.number);
  }

  /** Longest due first. */
  public async due(now: Date, most: number): Promise<number[]> {
    const rows = await this.db.query<{ number: string }>(
      'select order_number as number from orders where due_at <= $1 order by due_at, order_number limit $2',
      [now, most],
      { name: 'orders_due' },
    );
    return rows.map(({ number }) => Number(number));
  }

  public async historyOf(orderNumber: number): Promise<OrderTransition[]> {
    const rows = await this.db.query<Omit<OrderTransition, 'orderNumber'> & { orderNumber: string }>(
      `select order_number as "orderNumber", sequence, from_state as "from", to_state as "to", event, detail, at from order_transitions
       where order_number = $1 order by sequence limit 1000`,
      [orderNumber],
    );
    return rows.map((row) => ({ ...row, orderNumber: Number(row.orderNumber) }));
  }

  /** false: the partner's order_id is taken. */
  public static async insert(tx: Queryable, order: Order): Promise<boolean> {
    // Serialises the partner's places until the commit; read the last place under this lock.
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('orders ' || $1, 0))`, [String(order.partnerId)], {
      name: 'orders_lock_places',
    });
    const stored = toStored(order);
    const rows = await tx.query(INSERT, [...NAMES.map((name) => stored[name]), order.createdAt], {
      name: 'orders_insert',
    });
    return rows.length === 1;
  }

  /**
   * Lock before any write, so that outbox order is mostly commit order. It is not exact when three transactions wait at
   * once: readers go by sequence, or by each deposit alone. `onlyDueBy`: skips an order that is locked or was judged
   * meanwhile.
   */
  public static async lock(tx: Queryable, orderNumber: number, onlyDueBy?: Date): Promise<Order | undefined> {
    if (onlyDueBy === undefined)
      return orderOf(
        await tx.query<Row>(`select ${SELECT} from orders where order_number = $1 for update`, [orderNumber], {
          name: 'orders_lock',
        }),
      );
    return orderOf(
      await tx.query<Row>(
        `select ${SELECT} from orders where order_number = $1 and due_at <= $2 for update skip locked`,
        [orderNumber, onlyDueBy],
        { name: 'orders_lock_due' },
      ),
    );
  }

  public static async stand(tx: Queryable, orderNumber: number, standing: OrderStanding, now: Date): Promise<void> {
    await tx.query(UPDATE, [orderNumber, ...STANDING_NAMES.map((name) => standing[name]), now], {
      name: 'orders_stand',
    });
  }

  public static async note(
    tx: Queryable,
    { orderNumber, sequence, from, to, event, detail, at }: OrderTransition,
  ): Promise<void> {
    await tx.query(
      'insert into order_transitions (order_number, sequence, from_state, to_state, event, detail, at) values ($1, $2, $3, $4, $5, $6, $7)',
      [orderNumber, sequence, from, to, event, detail.slice(0, 500), at],
      { name: 'orders_note' },
    );
  }
}

function toStored({ amount, due, usdCents, ...order }: Order): StoredOrder {
  return {
    ...order,
    currency: amount.currency,
    amountMinor: encodeMinor(amount),
    dueMinor: encodeMinor(due),
    usdCents: usdCents.toString(),
  };
}

function orderOf([row]: readonly Row[]): Order | undefined {
  if (row === undefined) return undefined;
  const { orderNumber, partnerId, currency, amountMinor, usdCents, dueMinor, ...rest } = row;
  return {
    ...rest,
    orderNumber: Number(orderNumber),
    partnerId: Number(partnerId),
    amount: decodeMoney(amountMinor, currency),
    usdCents: BigInt(usdCents),
    due: decodeMoney(dueMinor, tokenAsset({ name: row.network }, { symbol: row.asset })),
  };
}
