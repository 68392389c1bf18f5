import type { ChainFamily } from '@vuka/domain';
import type { Database, Queryable, Transaction } from '@vuka/persistence';

/** The next page of a chain, under the fence it was taken with. */
export interface PageInHand {
  readonly chain: string;
  /** null: nothing was looked through yet. */
  readonly cursor: string | null;
  readonly fence: number;
}

/** How a chain's scan stands. */
export interface ScanState {
  readonly chain: string;
  readonly beganAt: Date | null;
  readonly movedAt: Date | null;
  readonly troubledSince: Date | null;
  readonly trouble: string | null;
}

/** How far each chain has been looked through for arrivals. One process at a time reads the next page, and a cursor moves by its fence alone. */
export class ScanStore {
  public constructor(private readonly db: Pick<Database, 'query'>) {}

  /** Takes the chains whose next page is due, until the lease lapses. Chains that are new here are taken too. */
  public async take(chains: readonly string[], now: Date, leaseUntil: Date): Promise<PageInHand[]> {
    await this.db.query(
      `insert into scan_cursors (chain, next_page_at) select chain, $2 from unnest($1::text[]) chain order by chain on conflict (chain) do nothing`,
      [chains, now],
      { name: 'offramp_scan_new' },
    );
    return this.db.query<PageInHand>(
      `with due as (select chain from scan_cursors where chain = any ($1::text[]) and next_page_at <= $2 order by chain for update skip locked)
       update scan_cursors s set fence = s.fence + 1, next_page_at = $3 from due where s.chain = due.chain
       returning s.chain as "chain", s.cursor as "cursor", s.fence as "fence"`,
      [chains, now, leaseUntil],
      { name: 'offramp_scan_take' },
    );
  }

  /** No page: it is asked for again. Dropped where another process has it in hand by now. */
  public async again({ chain, fence }: PageInHand, { nextPageAt, trouble, now }: { readonly nextPageAt: Date; readonly trouble: string; readonly now: Date }): Promise<void> {
    await this.db.query(
      `update scan_cursors set next_page_at = $3, trouble = $4, troubled_since = coalesce(troubled_since, $5) where chain = $1 and fence = $2`,
      [chain, fence, nextPageAt, trouble.slice(0, 200), now],
      { name: 'offramp_scan_again' },
    );
  }

  /** Before anything of a page is written: false where another process has it in hand by now. */
  public static async lock(tx: Transaction, { chain, fence }: PageInHand): Promise<boolean> {
    return (await tx.query('select 1 from scan_cursors where chain = $1 and fence = $2 for update', [chain, fence])).length > 0;
  }

  /** Where it is, at once. */
  public static async stay(tx: Transaction, chain: string, now: Date): Promise<void> {
    await tx.query('update scan_cursors set next_page_at = $2 where chain = $1', [chain, now]);
  }

  public static async move(tx: Transaction, chain: string, { cursor, nextPageAt, now }: { readonly cursor: string; readonly nextPageAt: Date; readonly now: Date }): Promise<void> {
    await tx.query(
      `update scan_cursors set cursor = $2, next_page_at = $3, moved_at = $4, began_at = coalesce(began_at, $4), trouble = null, troubled_since = null
       where chain = $1`,
      [chain, cursor, nextPageAt, now],
    );
  }

  public states(): Promise<ScanState[]> {
    return this.db.query<ScanState>(
      `select chain as "chain", began_at as "beganAt", moved_at as "movedAt", troubled_since as "troubledSince", trouble as "trouble" from scan_cursors order by chain`,
    );
  }

  /** How many addresses of a family were given. */
  public static async addressesGiven(db: Queryable, family: ChainFamily): Promise<number> {
    const [row] = await db.query<{ count: number }>('select count(*)::integer as "count" from deposit_addresses where family = $1', [family]);
    return row?.count ?? 0;
  }
}
