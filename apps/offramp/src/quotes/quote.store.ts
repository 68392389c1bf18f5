import type { Database, Transaction } from '@vuka/persistence';

/** What a quote was given for: whoever uses it has to ask for the same. */
export interface QuoteTerms {
  readonly partnerId: number;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly chain: string;
  readonly asset: string;
}

export interface Quote extends QuoteTerms {
  readonly id: string;
  /** Fiat per whole token. */
  readonly rate: string;
  readonly expiresAt: Date;
  /** The claim it was used for. */
  readonly takenBy: number | null;
}

interface QuoteRow {
  id: string; partner_id: number; currency: string; amount_minor: string; chain: string; asset: string; rate: string; expires_at: Date; taken_by: string | null;
}

const COLUMNS = 'id, partner_id, currency, amount_minor::text as amount_minor, chain, asset, trim_scale(rate)::text as rate, expires_at, taken_by';
/** Rows that one statement forgets at most. */
const FORGET_AT_ONCE = 5_000;
/** Statements of one round, a million rows: partners may ask for a hundred quotes a second, each. */
const MOST_STATEMENTS = 200;

export class QuoteStore {
  constructor(private readonly db: Pick<Database, 'query'>) {}

  async insert({ id, partnerId, currency, amountMinor, chain, asset, rate, expiresAt }: Omit<Quote, 'takenBy'>, createdAt: Date): Promise<void> {
    await this.db.query(
      'insert into quotes (id, partner_id, currency, amount_minor, chain, asset, rate, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)',
      [id, partnerId, currency, amountMinor.toString(), chain, asset, rate, createdAt, expiresAt],
    );
  }

  /** Only ever within one partner. */
  async find(partnerId: number, id: string): Promise<Quote | undefined> {
    const rows = await this.db.query<QuoteRow>(`select ${COLUMNS} from quotes where id = $1 and partner_id = $2`, [id, partnerId]);
    return rows[0] && toQuote(rows[0]);
  }

  /** The quote, if it is this partner's and was free or this claim's already. Of two claims at once one gets it. */
  static async take(tx: Transaction, partnerId: number, id: string, claimId: number): Promise<Quote | undefined> {
    const rows = await tx.query<QuoteRow>(
      `update quotes set taken_by = $3 where id = $1 and partner_id = $2 and (taken_by is null or taken_by = $3) returning ${COLUMNS}`,
      [id, partnerId, claimId],
    );
    return rows[0] && toQuote(rows[0]);
  }

  /** In the commit that releases the claim: whoever claims the same transfer again may use the same quote. */
  static async release(tx: Transaction, claimId: number): Promise<void> {
    await tx.query('update quotes set taken_by = null where taken_by = $1', [claimId]);
  }

  /** Those that expired before `before` and were never used. */
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

function toQuote(row: QuoteRow): Quote {
  return {
    id: row.id, partnerId: row.partner_id, currency: row.currency, amountMinor: BigInt(row.amount_minor), chain: row.chain, asset: row.asset,
    rate: row.rate, expiresAt: row.expires_at, takenBy: row.taken_by === null ? null : Number(row.taken_by),
  };
}
