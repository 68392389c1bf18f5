import { Inject, Injectable } from '@nestjs/common';
import { type ChainFamily, assetSymbol, decodeMoney, encodeMinor, tokenAsset, type Money } from '@vuka/domain';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

export interface OrderWatch {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly chain: string;
  readonly amount: Money;
  /** Fiat per whole token, frozen. */
  readonly rate: string;
  /** In the order's token. */
  readonly due: Money;
  readonly family: ChainFamily;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewOrderWatch extends OrderWatch {
  /** Until then every page covers its address. */
  readonly watchUntil: Date;
  readonly correlationId: string;
  readonly causationId: string;
}

export interface OrderToTell {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly rate: string;
  readonly sequence: number;
  readonly correlationId: string;
  readonly causationId: string;
}

/** `sequence` is already taken. */
export interface PassedWatch {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly chain: string;
  readonly scannedTo: Date;
  readonly sequence: number;
  readonly correlationId: string;
  readonly causationId: string;
}

export interface UnpassedOrders {
  readonly chain: string;
  readonly count: number;
  readonly oldestExpiredAt: Date;
}

type Row = Omit<OrderWatch, 'orderNumber' | 'partnerId' | 'amount' | 'due'> & {
  orderNumber: string;
  partnerId: string;
  /** Token symbol. */
  asset: string;
  currency: string;
  amountMinor: string;
  dueMinor: string;
};

@Injectable()
export class OrderWatchStore {
  public constructor(@Inject(Database) private readonly db: Queryable) {}

  public async find(orderNumber: number): Promise<OrderWatch | undefined> {
    const rows = await this.db.query<Row>(
      `select order_number::text as "orderNumber", partner_id::text as "partnerId", chain as "chain", asset as "asset", currency as "currency",
              amount_minor::text as "amountMinor", rate as "rate", due_minor::text as "dueMinor", family as "family", address as "address",
              created_at as "createdAt", expires_at as "expiresAt"
       from order_watches where order_number = $1`,
      [orderNumber],
      { name: 'offramp_order_watch' },
    );
    return rows.map(({ asset, currency, amountMinor, dueMinor, ...row }) => ({
      ...row,
      orderNumber: Number(row.orderNumber),
      partnerId: Number(row.partnerId),
      amount: decodeMoney(amountMinor, currency),
      due: decodeMoney(dueMinor, tokenAsset({ name: row.chain }, { symbol: asset })),
    }))[0];
  }

  public static async lockToReserve(tx: Transaction, orderNumber: number): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('order ' || $1::text, 0))`, [orderNumber]);
  }

  public static async insert(tx: Transaction, watch: NewOrderWatch): Promise<void> {
    await tx.query(
      `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at,
                                  watch_until, correlation_id, causation_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
      [
        watch.orderNumber, watch.partnerId, watch.chain, assetSymbol(watch.due.currency), watch.amount.currency, encodeMinor(watch.amount), watch.rate, encodeMinor(watch.due),
        watch.family, watch.address, watch.createdAt, watch.expiresAt, watch.watchUntil, watch.correlationId, watch.causationId,
      ], // prettier-ignore
      { name: 'offramp_insert_order_watch' },
    );
  }

  /**
   * Lock the order first, so that outbox order is mostly commit order. With three waiting transactions it is not:
   * readers go by sequence, or by each deposit alone. `pass` skips locked orders. Claims may still be opened.
   */
  public static async lockToTell(tx: Transaction, orderNumber: number): Promise<OrderToTell> {
    const [row] = await tx.query<Omit<OrderToTell, 'orderNumber' | 'partnerId'> & { partnerId: string }>(
      `select partner_id::text as "partnerId", rate as "rate", last_sequence + 1 as "sequence", correlation_id as "correlationId", causation_id as "causationId"
       from order_watches where order_number = $1 for no key update`,
      [orderNumber],
      { name: 'offramp_lock_order_watch' },
    );
    if (row === undefined) throw new Error(`no order ${orderNumber} is watched`);
    return { ...row, orderNumber, partnerId: Number(row.partnerId) };
  }

  /** Whoever moves an order's deposit to another table holds this lock, so that no reader misses it. */
  public static async lock(tx: Transaction, orderNumber: number): Promise<void> {
    await tx.query('select 1 from order_watches where order_number = $1 for no key update', [orderNumber], {
      name: 'offramp_lock_order',
    });
  }

  public static async told(tx: Transaction, orderNumber: number, sequence: number): Promise<void> {
    await tx.query('update order_watches set last_sequence = $2 where order_number = $1', [orderNumber, sequence]);
  }

  /**
   * Their chain was scanned more than `graceMs` past their end. Skips locked orders, and those that may have been paid
   * in time: a claim on the chain has no result, is in trouble, or was opened after `openedBefore` and not seen. Also
   * skips an order with an event since this statement began: its outbox place may be behind ours.
   */
  public static async pass(
    tx: Transaction,
    {
      now,
      graceMs,
      openedBefore,
      limit,
    }: { readonly now: Date; readonly graceMs: number; readonly openedBefore: Date; readonly limit: number },
  ): Promise<PassedWatch[]> {
    const rows = await tx.query<
      Omit<PassedWatch, 'orderNumber' | 'partnerId'> & { orderNumber: string; partnerId: string }
    >(PASS_SQL, [now, graceMs / 1_000, limit, openedBefore], { name: 'offramp_pass_orders' });
    return rows.map((row) => ({ ...row, orderNumber: Number(row.orderNumber), partnerId: Number(row.partnerId) }));
  }

  public unpassed(before: Date): Promise<UnpassedOrders[]> {
    return this.db.query<UnpassedOrders>(
      `select chain as "chain", count(*)::integer as "count", min(expires_at) as "oldestExpiredAt" from order_watches where passed_at is null and expires_at <= $1 group by chain order by chain`,
      [before],
    );
  }
}

export type OrderDatabase = Pick<Database, 'query' | 'inTransaction'>;

const PASS_SQL = `
with due as (
  select w.order_number, s.scanned_to
  from scan_cursors s
  join order_watches w on w.chain = s.chain and w.passed_at is null and w.expires_at < s.scanned_to - make_interval(secs => $2)
  -- Of the statement's beginning, while w is checked at again when it is locked.
  join order_watches began on began.order_number = w.order_number and began.last_sequence = w.last_sequence
  where not exists (select 1 from claims c where c.order_number = w.order_number and c.chain = w.chain and c.state = 'open' and (c.checked_at is null or c.trouble is not null or c.accepted_at > $4))
  order by w.expires_at, w.order_number
  limit $3
  for no key update of w skip locked
)
update order_watches w set passed_at = $1, last_sequence = w.last_sequence + 1
from due where w.order_number = due.order_number
returning w.order_number::text as "orderNumber", w.partner_id::text as "partnerId", w.chain as "chain", due.scanned_to as "scannedTo", w.last_sequence as "sequence",
          w.correlation_id as "correlationId", w.causation_id as "causationId"`;
