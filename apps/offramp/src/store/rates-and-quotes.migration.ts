import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** The last rates that were believed, and the quotes given by them. */
export class RatesAndQuotes1764000000100 implements MigrationInterface {
  public readonly name = 'RatesAndQuotes1764000000100';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Quotes that were given are kept: there is no way down');
  }
}

const sql = `
create table rates (
  currency text constraint rates_pk primary key,
  -- Fiat per USD, 1e-18.
  mid_e18  numeric(38,0) not null,
  at       timestamptz not null,
  constraint rates_mid_check check (mid_e18 > 0)
);

create table quotes (
  id           uuid constraint quotes_pk primary key,
  partner_id   integer not null,
  currency     text not null,
  amount_minor numeric(38,0) not null,
  chain        text not null,
  asset        text not null,
  -- Fiat per whole token.
  rate         numeric(38,18) not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  -- The claim (= transaction) it was used for; null again where that claim was released.
  taken_by     bigint,
  constraint quotes_amount_check check (amount_minor > 0 and rate > 0)
);
create unique index quotes_taken_key on quotes (taken_by) where taken_by is not null;
-- Those that nobody used are forgotten by age.
create index quotes_idle_idx on quotes (expires_at) where taken_by is null;
`;
