import { deadLetterReplayMigrationSql, deadLettersMigrationSql, inboxMigrationSql } from '@vuka/messaging';
import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/**
 * What payouts need that deposits on chain pay for: claims of hashes, uses of quotes, the deposits themselves as far as the ledger
 * knows them, and what a reader of offramp's events keeps.
 */
export class Pays1764200000000 implements MigrationInterface {
  public readonly name = 'Pays1764200000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(paysSql);
    await runner.query(clearingsSql);
    await runner.query(inboxMigrationSql());
    await runner.query(deadLettersMigrationSql());
    await runner.query(deadLetterReplayMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Deposits are in the ledger: there is no way down');
  }
}

const paysSql = `
-- What a pay says of its deposit. Its row is the claim of the hash until released: one partner, chain and hash, one transaction.
create table pays (
  transaction_id   bigint constraint pays_pk primary key,
  partner_id       integer not null,
  chain            text not null,
  -- Canonical: every spelling of one transaction is this text.
  transaction_hash text not null,
  -- The token the partner named; null: whichever accepted one arrived.
  asset            text,
  quote_id         uuid,
  refund_address   text,
  -- Nothing was found, or nothing final: the hash is open to this partner again.
  released_at      timestamptz
) with (fillfactor = 90);
create unique index pays_claim_key on pays (partner_id, chain, transaction_hash) where released_at is null;
create index pays_hash_idx on pays (partner_id, transaction_hash);

-- Beside pays and not in it: whoever takes hashes and quotes locks all hashes first, each kind in its order, and never waits in a ring.
create table quote_uses (
  transaction_id bigint constraint quote_uses_pk primary key,
  quote_id       uuid not null,
  released_at    timestamptz
) with (fillfactor = 90);
create unique index quote_uses_quote_key on quote_uses (quote_id) where released_at is null;

-- What arrived on chain, by offramp's id. Its value is in exactly one place, and state says where.
create table deposits (
  deposit_id        bigint constraint deposits_pk primary key,
  transaction_id    bigint not null,
  partner_id        integer not null,
  chain             text not null,
  asset             text not null,
  decimals          smallint not null,
  received_minor    numeric(38,0) not null,
  -- Fiat per whole token, frozen for the claim.
  rate              numeric not null,
  -- What of the hold was ours (P5u), in minor units of the transaction's currency.
  shortfall_minor   numeric(38,0) not null,
  -- The one its transaction was judged by; others arrived beside it, or later.
  is_main           boolean not null,
  -- Why the quote that was sent was not used.
  quote_passed_over text,
  state             text not null,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint deposits_received_check check (received_minor > 0),
  constraint deposits_rate_check check (rate > 0),
  constraint deposits_shortfall_check check (shortfall_minor >= 0 and (shortfall_minor = 0 or is_main)),
  -- funding: behind the payout, or paid out. credited: in the wallet (P6, P14). unapplied, refunding: on the accounts of that name.
  constraint deposits_state_check check (state in ('funding', 'unapplied', 'credited', 'refunding') and (is_main or state <> 'funding'))
) with (fillfactor = 80);
create unique index deposits_main_key on deposits (transaction_id) where is_main;
create index deposits_transaction_idx on deposits (transaction_id);
-- Value that waits for its partner, or for its way back.
create index deposits_waiting_idx on deposits (created_at, deposit_id) where state in ('unapplied', 'refunding');
`;

// What screening has stopped is settled by people, too: cleared, it goes on to its rail.
const clearingsSql = `
alter table settlements
  drop constraint settlements_outcome_check,
  add constraint settlements_outcome_check check (
    outcome in ('paid', 'not_paid', 'cleared') and (outcome = 'paid') = (receipt_number is not null)
    and (paid_minor is null or (outcome = 'paid' and paid_minor > 0))) not valid;
alter table settlements validate constraint settlements_outcome_check;
`;
