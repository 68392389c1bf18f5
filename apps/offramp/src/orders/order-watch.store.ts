import { Inject, Injectable } from '@nestjs/common';
import { type ChainFamily, assetSymbol, decodeMoney, encodeMinor, tokenAsset, type Money } from '@vuka/domain';
import { Database, type Queryable, type Transaction } from '@vuka/persistence';

/** What an order was promised, and where it is paid. */
export interface OrderWatch {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly chain: string;
  readonly amount: Money;
  /** Fiat per whole token, frozen. */
  readonly rate: string;
  /** In the token that it asks for. */
  readonly due: Money;
  readonly family: ChainFamily;
  readonly address: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface NewOrderWatch extends OrderWatch {
  /** Until then its address is looked at with every page. */
  readonly watchUntil: Date;
  readonly correlationId: string;
  readonly causationId: string;
}

/** What telling of an order needs. `sequence`: the one to tell with. */
export interface OrderToTell {
  readonly orderNumber: number;
  readonly partnerId: number;
  readonly rate: string;
  readonly sequence: number;
  readonly correlationId: string;
  readonly causationId: string;
}

/** One whose chain was looked through past its end; the sequence is taken. */
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
  /** Its symbol. */
  asset: string;
  currency: string;
  amountMinor: string;
  dueMinor: string;
};

/** Orders that are watched: one row for each, for ever. */
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

  /** One at a time reserves for an order, until its transaction ends. */
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
   * Locks an order before anything else of the transaction is written or locked: a transaction has its place in the outbox from its first write on, so who tells
   * later has the later place, save where three want it at once (who waits for a changed row has a place before its turn): readers go by sequence, or by each
   * deposit alone. `pass` waits for nobody. Claims of it may be opened meanwhile.
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

  /** Whoever takes a deposit of an order away has it locked, so that none is between two places when they are looked for. */
  public static async lock(tx: Transaction, orderNumber: number): Promise<void> {
    await tx.query('select 1 from order_watches where order_number = $1 for no key update', [orderNumber], {
      name: 'offramp_lock_order',
    });
  }

  public static async told(tx: Transaction, orderNumber: number, sequence: number): Promise<void> {
    await tx.query('update order_watches set last_sequence = $2 where order_number = $1', [orderNumber, sequence]);
  }

  /**
   * Marks orders as passed whose chain was looked through to more than `graceMs` after their end, at most so many; what another process holds is left to it.
   * One with a claim on its own chain that no look has come to anything for yet, or not the last one (trouble, a switch), or that was opened after `openedBefore` and is not seen, is left too: it may have
   * been paid in time. So is one that something was told of since this statement began: its place in the outbox may be behind ours.
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

  /** Those that ended before `before` and whose chain was not seen to be past that. */
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
