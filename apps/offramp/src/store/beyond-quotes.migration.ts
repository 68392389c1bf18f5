import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/**
 * What came beyond a quote is a deposit of its own, beside the one that the quote prices: of the same transfer and token. And quotes know what they are worth, as
 * long as they are open.
 */
export class BeyondQuotes1768000001000 implements MigrationInterface {
  public readonly name = 'BeyondQuotes1768000001000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Deposits beyond a quote are told of: there is no way down');
  }
}

const sql = `
alter table deposits
  -- More of the token that paid than its quote prices; false: what was priced, or all that came of its token.
  add column beyond_quote boolean not null default false;

alter table quotes
  -- US cents that the amount was worth when it was quoted, rounded up. Null of a release before, whose quotes count to nobody's open ones.
  add column usd_cents numeric(38,0);
`;

/** Built beside those who write. */
export class BeyondQuoteIndexes1768000001001 implements MigrationInterface {
  public readonly name = 'BeyondQuoteIndexes1768000001001';
  public readonly transaction = false;

  public async up(runner: QueryRunner): Promise<void> {
    for (const [name, index] of Object.entries(INDEXES)) {
      await runner.query(`drop index concurrently if exists ${name}`);
      await runner.query(index);
    }
  }

  public async down(): Promise<void> {
    throw new Error('Deposits beyond a quote are told of: there is no way down');
  }
}

const INDEXES = {
  // contract: 3fa985e nothing of it: this refuses no row that the narrower key does not refuse, and takes its place and its name
  deposits_part_key: `create unique index concurrently deposits_part_key on deposits (chain, transaction_hash, address, asset, beyond_quote)`,
  quotes_open_idx: `create index concurrently quotes_open_idx on quotes (partner_id, expires_at) include (usd_cents) where taken_by is null`,
};

/** The key of a transfer keeps its name, by which the release before inserts: its rows are never beyond a quote, so that they clash as ever. */
export class BeyondQuoteKey1768000001002 implements MigrationInterface {
  public readonly name = 'BeyondQuoteKey1768000001002';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(keySql);
  }

  public async down(): Promise<void> {
    throw new Error('Deposits beyond a quote are told of: there is no way down');
  }
}

const keySql = `
alter table deposits
  drop constraint deposits_transfer_key,
  add constraint deposits_transfer_key unique using index deposits_part_key;
`;
