import { Inject, Injectable } from '@nestjs/common';
import { CHAINS, QUOTE_GRACE_MS, QUOTE_USABLE_MS, decodeMoney, encodeMinor, type Money } from '@vuka/domain';
import { Database, type Transaction } from '@vuka/persistence';

/** A claim must match all of these. */
export interface QuoteDetails {
  readonly partnerId: number;
  readonly amount: Money;
  readonly chain: string;
  readonly asset: string;
}

export interface Quote extends QuoteDetails {
  readonly id: string;
  /** Fiat per whole token. */
  readonly rate: string;
  readonly expiresAt: Date;
  /** Claim id. */
  readonly takenBy: number | null;
}

interface QuoteRow {
  id: string;
  partner_id: number;
  currency: string;
  amount_minor: string;
  chain: string;
  asset: string;
  rate: string;
  expires_at: Date;
  taken_by: string | null;
}

/** US cents. */
export interface OpenQuotes {
  readonly cents: bigint;
  readonly mostOpenCents: bigint;
  readonly now: Date;
}

const COLUMNS =
  'id, partner_id, currency, amount_minor::text as amount_minor, chain, asset, trim_scale(rate)::text as rate, expires_at, taken_by';
const FORGET_AT_ONCE = 5_000;
/** A million rows per round: each partner may ask for a hundred quotes a second. */
const MOST_STATEMENTS = 200;

@Injectable()
export class QuoteStore {
  constructor(@Inject(Database) private readonly db: Pick<Database, 'query' | 'inTransaction'>) {}

  /**
   * false: above the limit, not kept. Open are quotes that a pay may still use, and those of waiting claims whose
   * transfer would be on time. A lock per partner keeps two calls from passing together.
   */
  async insertWithin(quote: Omit<Quote, 'takenBy'>, { cents, mostOpenCents, now }: OpenQuotes): Promise<boolean> {
    const { id, partnerId, amount, chain, asset, rate, expiresAt } = quote;
    return this.db.inTransaction(
      async (tx) => {
        await tx.query(`select pg_advisory_xact_lock(hashtextextended('quotes ' || $1::text, 0))`, [partnerId]);
        const rows = await tx.query(INSERT_WITHIN_SQL, [
        id, partnerId, amount.currency, encodeMinor(amount), chain, asset, rate, now, expiresAt, cents.toString(), mostOpenCents.toString(),
        new Date(now.getTime() - QUOTE_USABLE_MS), new Date(now.getTime() - QUOTE_GRACE_MS), CHAINS.map(({ name }) => name),
      ], { name: 'offramp_insert_quote' }); // prettier-ignore
        return rows.length > 0;
      },
      { retries: 2 },
    );
  }

  async find(partnerId: number, id: string): Promise<Quote | undefined> {
    const rows = await this.db.query<QuoteRow>(`select ${COLUMNS} from quotes where id = $1 and partner_id = $2`, [
      id,
      partnerId,
    ]);
    return rows[0] && toQuote(rows[0]);
  }

  /** Only one of two claims gets it. */
  static async take(tx: Transaction, partnerId: number, id: string, claimId: number): Promise<Quote | undefined> {
    const rows = await tx.query<QuoteRow>(
      `update quotes set taken_by = $3 where id = $1 and partner_id = $2 and (taken_by is null or taken_by = $3) returning ${COLUMNS}`,
      [id, partnerId, claimId],
    );
    return rows[0] && toQuote(rows[0]);
  }

  /** In the commit that releases the claim. */
  static async release(tx: Transaction, claimId: number): Promise<void> {
    await tx.query('update quotes set taken_by = null where taken_by = $1', [claimId]);
  }

  async forgetIdle(before: Date, atOnce = FORGET_AT_ONCE): Promise<void> {
    for (let statement = 0; statement < MOST_STATEMENTS; statement += 1) {
      const [gone] = await this.db.query<{ count: number }>(
        `with gone as (delete from quotes where id in (select id from quotes where taken_by is null and expires_at < $1 limit $2) returning 1)
         select count(*)::integer as count from gone`,
        [before, atOnce],
      );
      if ((gone?.count ?? 0) < atOnce) return;
    }
  }
}

// Waiting claims per partner are bounded and have an index.
const INSERT_WITHIN_SQL = `
insert into quotes (id, partner_id, currency, amount_minor, chain, asset, rate, created_at, expires_at, usd_cents)
select $1::uuid, $2::integer, $3::text, $4::numeric, $5::text, $6::text, $7::numeric, $8::timestamptz, $9::timestamptz, $10::numeric
where $10::numeric + (
  select coalesce(sum(usd_cents), 0) from quotes where partner_id = $2::integer and taken_by is null and expires_at >= $12::timestamptz
) + (
  select coalesce(sum(q.usd_cents), 0) from claims c join quotes q on q.taken_by = c.transaction_id
  where c.chain = any ($14::text[]) and c.partner_id = $2::integer and c.next_check_at is not null and q.expires_at >= $13::timestamptz
) <= $11::numeric
returning id`;

function toQuote(row: QuoteRow): Quote {
  return {
    id: row.id,
    partnerId: row.partner_id,
    amount: decodeMoney(row.amount_minor, row.currency),
    chain: row.chain,
    asset: row.asset,
    rate: row.rate,
    expiresAt: row.expires_at,
    takenBy: row.taken_by === null ? null : Number(row.taken_by),
  };
}
