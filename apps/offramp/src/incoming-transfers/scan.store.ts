import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@vuka/persistence';

/** `open`: addresses of every page. `closed`: orders whose watch is over. */
export type ScanKind = 'open' | 'closed';

export interface PageInHand {
  readonly chain: string;
  readonly kind: ScanKind;
  /** null: nothing was scanned yet. */
  readonly cursor: string | null;
  /** Time of the newest scanned block. null: unknown. */
  readonly scannedTo: Date | null;
  readonly fence: number;
}

/** `scannedTo` null: unchanged. `isBack`: the cursor goes back. */
export interface CursorMove {
  readonly cursor: string;
  readonly scannedTo: Date | null;
  readonly nextPageAt: Date;
  readonly now: Date;
  readonly isBack?: boolean;
}

export interface ScanState {
  readonly chain: string;
  readonly kind: ScanKind;
  readonly beganAt: Date | null;
  readonly movedAt: Date | null;
  readonly troubledSince: Date | null;
  readonly trouble: string | null;
}

const CLOSED = ' closed';
const keyOf = ({ chain, kind }: Pick<PageInHand, 'chain' | 'kind'>): string =>
  kind === 'open' ? chain : `${chain}${CLOSED}`;

function named<Row extends { readonly key: string }>({
  key,
  ...row
}: Row): Omit<Row, 'key'> & Pick<PageInHand, 'chain' | 'kind'> {
  return key.endsWith(CLOSED)
    ? { ...row, chain: key.slice(0, -CLOSED.length), kind: 'closed' }
    : { ...row, chain: key, kind: 'open' };
}

/** A cursor moves only under its fence. */
@Injectable()
export class ScanStore {
  public constructor(@Inject(Database) private readonly db: Pick<Database, 'query'>) {}

  /**
   * Also adds new chains. Those in `twice` get a `closed` cursor where the open one is, due at `closedAt`: no watch
   * ended before.
   */
  public async take(
    chains: readonly string[],
    {
      twice,
      now,
      leaseUntil,
      closedAt,
    }: { readonly twice: readonly string[]; readonly now: Date; readonly leaseUntil: Date; readonly closedAt: Date },
  ): Promise<PageInHand[]> {
    await this.db.query(NEW_SQL, [chains, now, twice, closedAt, CLOSED], { name: 'offramp_scan_new' });
    const keys = [...chains, ...twice.map((chain) => keyOf({ chain, kind: 'closed' }))];
    const rows = await this.db.query<Omit<PageInHand, 'chain' | 'kind'> & { key: string }>(
      `with due as (select chain from scan_cursors where chain = any ($1::text[]) and next_page_at <= $2 order by chain for update skip locked)
       update scan_cursors s set fence = s.fence + 1, next_page_at = $3 from due where s.chain = due.chain
       returning s.chain as "key", s.cursor as "cursor", s.scanned_to as "scannedTo", s.fence as "fence"`,
      [keys, now, leaseUntil],
      { name: 'offramp_scan_take' },
    );
    return rows.map(named);
  }

  /** Changes nothing if another process has the page. */
  public async again(
    page: PageInHand,
    { nextPageAt, trouble, now }: { readonly nextPageAt: Date; readonly trouble: string; readonly now: Date },
  ): Promise<void> {
    await this.db.query(
      `update scan_cursors set next_page_at = $3, trouble = $4, troubled_since = coalesce(troubled_since, $5) where chain = $1 and fence = $2`,
      [keyOf(page), page.fence, nextPageAt, trouble.slice(0, 200), now],
      { name: 'offramp_scan_again' },
    );
  }

  /** Lock before any write. false: another process has the page. */
  public static async lock(tx: Transaction, page: PageInHand): Promise<boolean> {
    return (
      (
        await tx.query('select 1 from scan_cursors where chain = $1 and fence = $2 for update', [
          keyOf(page),
          page.fence,
        ])
      ).length > 0
    );
  }

  public static async move(
    tx: Transaction,
    page: PageInHand,
    { cursor, scannedTo, nextPageAt, now, isBack = false }: CursorMove,
  ): Promise<void> {
    await tx.query(
      `update scan_cursors set cursor = $2, next_page_at = $3, moved_at = $4, began_at = coalesce(began_at, $4), trouble = null, troubled_since = null,
              scanned_to = case when $6 then $5 else greatest(scanned_to, $5::timestamptz) end
       where chain = $1`,
      [keyOf(page), cursor, nextPageAt, now, scannedTo, isBack],
    );
  }

  /** From then on no transfer is missed. */
  public async hasBegun(chain: string): Promise<boolean> {
    const rows = await this.db.query('select 1 from scan_cursors where chain = $1 and cursor is not null', [chain], {
      name: 'offramp_scan_begun',
    });
    return rows.length > 0;
  }

  public async states(): Promise<ScanState[]> {
    const rows = await this.db.query<Omit<ScanState, 'chain' | 'kind'> & { key: string }>(
      `select chain as "key", began_at as "beganAt", moved_at as "movedAt", troubled_since as "troubledSince", trouble as "trouble" from scan_cursors order by chain`,
    );
    return rows.map(named);
  }
}

const NEW_SQL = `
with opened as (
  insert into scan_cursors (chain, next_page_at) select chain, $2 from unnest($1::text[]) chain order by chain on conflict (chain) do nothing
)
insert into scan_cursors (chain, cursor, scanned_to, began_at, next_page_at)
select chain || $5::text, cursor, scanned_to, $2, $4 from scan_cursors where chain = any ($3::text[]) and cursor is not null order by chain
on conflict (chain) do nothing`;
