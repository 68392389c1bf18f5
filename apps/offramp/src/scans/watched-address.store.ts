import type { ChainFamily } from '@vuka/domain';
import type { Database } from '@vuka/persistence';

export interface WatchedOrder {
  readonly orderNumber: string;
  readonly address: string;
  /** On which it is to be paid. */
  readonly chain: string;
  readonly expiresAt: Date;
  readonly watchUntil: Date;
  /** In full precision, for paging. */
  readonly watchUntilText: string;
}

/** Position when paging by end of watch. */
export type WatchPlace = Pick<WatchedOrder, 'watchUntilText' | 'orderNumber'>;

/** `horizon`: pass it to the next call. */
export interface NewOrders {
  readonly orders: readonly WatchedOrder[];
  readonly horizon: string;
}

type NewRow = { horizon: string; xid: string | null } & { [Field in keyof WatchedOrder]: WatchedOrder[Field] | null };

const ORDER = `w.order_number::text as "orderNumber", w.address as "address", w.chain as "chain", w.expires_at as "expiresAt", w.watch_until as "watchUntil", w.watch_until::text as "watchUntilText"`;

export class WatchedAddressStore {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  public async countOfPartners(family: ChainFamily): Promise<number> {
    const [row] = await this.db.query<{ count: number }>(
      `select count(*)::integer as "count" from deposit_addresses where family = $1 and purpose = 'partner'`,
      [family],
      { name: 'offramp_count_partner_addresses' },
    );
    return row?.count ?? 0;
  }

  public async ofPartners(family: ChainFamily): Promise<string[]> {
    const rows = await this.db.query<{ address: string }>(
      `select address from deposit_addresses where family = $1 and purpose = 'partner'`,
      [family],
      { name: 'offramp_partner_addresses' },
    );
    return rows.map(({ address }) => address);
  }

  public ordersWatched(
    family: ChainFamily,
    { since, until, limit }: { readonly since: WatchPlace; readonly until: Date | null; readonly limit: number },
  ): Promise<WatchedOrder[]> {
    return this.db.query<WatchedOrder>(
      `select ${ORDER} from order_watches w where w.family = $1 and (w.watch_until, w.order_number) > ($2::text::timestamptz, $3::bigint) and ($4::timestamptz is null or w.watch_until <= $4)
       order by w.watch_until, w.order_number limit $5`,
      [family, since.watchUntilText, since.orderNumber, until, limit],
      { name: 'offramp_orders_watched' },
    );
  }

  /** All transactions below it have ended. */
  public async horizon(): Promise<string> {
    const [row] = await this.db.query<{ horizon: string }>(
      'select pg_snapshot_xmin(pg_current_snapshot())::text as "horizon"',
    );
    if (row === undefined) throw new Error('a database without a snapshot');
    return row.horizon;
  }

  /** All since `horizon`, and some older ones; the cost does not grow with the orders. */
  public async ordersSince(family: ChainFamily, horizon: string, limit: number): Promise<NewOrders> {
    const orders: WatchedOrder[] = [];
    let next: string | undefined;
    for (let after = { xid: horizon, orderNumber: '0' }; ;) {
      const rows = await this.db.query<NewRow>(NEW_SQL, [family, after.xid, after.orderNumber, limit], {
        name: 'offramp_new_orders',
      });
      next ??= rows[0]?.horizon;
      const found = rows.filter((row): row is NewRow & WatchedOrder & { xid: string } => row.orderNumber !== null);
      orders.push(...found);
      const last = found.at(-1);
      if (last === undefined || found.length < limit) break;
      after = last;
    }
    return { orders, horizon: next ?? horizon };
  }

  /** Rows from a dump have transaction ids of another cluster, and would count as new for ever. */
  public async adopt(family: ChainFamily): Promise<void> {
    await this.db.query(
      'update order_watches set xid = pg_current_xact_id() where family = $1 and xid > pg_current_xact_id()',
      [family],
    );
  }
}

const NEW_SQL = `
select pg_snapshot_xmin(pg_current_snapshot())::text as "horizon", w.xid::text as "xid", ${ORDER}
from (select 1) one left join lateral (
  select * from order_watches where family = $1 and (xid, order_number) > ($2::text::xid8, $3::bigint) order by xid, order_number limit $4
) w on true
order by w.xid, w.order_number`;
