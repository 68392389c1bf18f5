import type { MigrationInterface, QueryRunner } from '@vuka/persistence';
import { partitionByMonthSql } from '@vuka/persistence';
import { outboxMigrationSql } from '@vuka/messaging';

/**
 * The tables of payments. Money is numeric(38,0) minor units throughout (design: 18-decimal token amounts overflow
 * bigint). Constraints repeat in the database what the code promises: they are the last guard, not the first.
 */
export class PaymentsSchema1763700000000 implements MigrationInterface {
  public readonly name = 'PaymentsSchema1763700000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(ledgerSql);
    await runner.query(transactionSql);
    for (const table of ['entries', 'transitions']) await runner.query(partitionByMonthSql(table));
    await runner.query(outboxMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('The ledger is append-only: payments has no way down from its first migration');
  }
}

const ledgerSql = `
create table accounts (
  id            bigint generated always as identity constraint accounts_pk primary key,
  name          text not null constraint accounts_name_key unique,
  kind          text not null,
  partner_id    integer,
  asset         text not null,
  -- null: a system account. It keeps no hot balance row; its balance is the sum of its entries.
  balance_minor numeric(38,0),
  created_at    timestamptz not null,
  constraint accounts_sign_check check (
    case kind
      when 'wallet' then balance_minor >= 0
      when 'held' then balance_minor >= 0
      when 'unapplied' then balance_minor >= 0
      when 'refunding' then balance_minor >= 0
      when 'receivable' then balance_minor <= 0
      else balance_minor is null
    end is true
  ),
  constraint accounts_partner_check check ((partner_id is null) = (balance_minor is null))
) with (fillfactor = 50);
create index accounts_partner_idx on accounts (partner_id) where partner_id is not null;

-- One row per posting, for ever and unpartitioned: the reference is what makes a posting happen once.
create table postings (
  id             bigint generated always as identity constraint postings_pk primary key,
  reference      text not null constraint postings_reference_key unique,
  kind           text not null,
  transaction_id bigint,
  at             timestamptz not null
);
create index postings_transaction_idx on postings (transaction_id) where transaction_id is not null;

-- A leg moves one asset from one account to another, so every posting is zero per asset by construction.
create table entries (
  posting_id   bigint not null,
  leg_no       smallint not null,
  from_account bigint not null,
  to_account   bigint not null,
  asset        text not null,
  amount_minor numeric(38,0) not null,
  at           timestamptz not null,
  constraint entries_pk primary key (posting_id, leg_no, at),
  constraint entries_amount_check check (amount_minor > 0),
  constraint entries_accounts_check check (from_account <> to_account)
) partition by range (at);
create index entries_from_idx on entries (from_account, posting_id);
create index entries_to_idx on entries (to_account, posting_id);
`;

const transactionSql = `
-- Ids are handed out in blocks, so that a move can name its transaction before it is committed. 2^53 is far.
create sequence transaction_id_blocks;

create table transactions (
  id                bigint constraint transactions_pk primary key,
  partner_id        integer not null,
  transaction_code  text not null,
  operation         text not null,
  currency          text not null,
  amount_minor      numeric(38,0) not null,
  fee_minor         numeric(38,0) not null,
  service_fee_minor numeric(38,0) not null,
  callback_url      text,
  request_id        text not null,
  traceparent       text not null,
  state             text not null,
  sequence          integer not null,
  public_sequence   integer not null,
  attempt_no        smallint not null,
  -- The move that made the row what it is: tells a move that was sent twice from one that came too late.
  last_move_id      uuid not null,
  message           text not null,
  failure_code      text,
  receipt_number    text,
  public_name       text,
  -- When a transaction without an attempt under way must be looked at again; null while an attempt is under way.
  due_at            timestamptz,
  park_deadline     timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint transactions_amount_check check (amount_minor > 0 and fee_minor >= 0 and fee_minor < amount_minor and service_fee_minor >= 0),
  constraint transactions_sequence_check check (sequence >= 1 and public_sequence >= 0 and attempt_no >= 0)
) with (fillfactor = 60);
create index transactions_due_idx on transactions (due_at) where due_at is not null;

-- The one name space of references per partner, unpartitioned and for ever; it is also how a code finds its transaction.
create table transaction_keys (
  partner_id     integer not null,
  reference      text not null,
  transaction_id bigint not null,
  fingerprint    text not null,
  constraint transaction_keys_pk primary key (partner_id, reference)
);

-- Where the money goes: sealed (AES-256-GCM), found again only through the keyed blind index.
create table destinations (
  transaction_id bigint constraint destinations_pk primary key,
  kind           text not null,
  bank_code      text not null,
  bank_name      text not null,
  sealed         text not null,
  blind_index    text not null
);
create index destinations_blind_idx on destinations (blind_index);

create table transitions (
  transaction_id bigint not null,
  sequence       integer not null,
  from_state     text,
  to_state       text not null,
  event          text not null,
  attempt_no     smallint not null,
  detail         text not null,
  at             timestamptz not null,
  constraint transitions_pk primary key (transaction_id, sequence, at)
) partition by range (at);

create table holds (
  transaction_id bigint constraint holds_pk primary key,
  partner_id     integer not null,
  asset          text not null,
  amount_minor   numeric(38,0) not null,
  state          text not null,
  opened_at      timestamptz not null,
  closed_at      timestamptz,
  constraint holds_amount_check check (amount_minor > 0),
  constraint holds_state_check check (state in ('open', 'posted', 'voided') and (state = 'open') = (closed_at is null))
) with (fillfactor = 70);
create index holds_open_idx on holds (partner_id, asset) where state = 'open';

create table attempts (
  transaction_id bigint not null,
  attempt_no     smallint not null,
  -- Our id at the rail, committed before the call: one per attempt, never used again.
  rail_reference uuid not null constraint attempts_rail_reference_key unique,
  rail           text not null,
  state          text not null,
  amount_minor   numeric(38,0) not null,
  polls          integer not null default 0,
  next_at        timestamptz,
  lease_until    timestamptz,
  fence          integer not null default 0,
  receipt_number text,
  rail_detail    text not null default '',
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  constraint attempts_pk primary key (transaction_id, attempt_no),
  constraint attempts_state_check check (state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN', 'PAID', 'NOT_PAID')),
  constraint attempts_amount_check check (amount_minor > 0)
) with (fillfactor = 60);
-- At most one attempt of a transaction may be open: a second would be a second payout.
create unique index attempts_open_key on attempts (transaction_id) where state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN');
create index attempts_submit_idx on attempts (next_at) where state in ('INTENT', 'SENDING') and next_at is not null;
create index attempts_poll_idx on attempts (next_at) where state in ('PENDING', 'UNKNOWN') and next_at is not null;

-- What must not happen and did: never a change of public state, always somebody's to look at.
create table incidents (
  id             bigint generated always as identity constraint incidents_pk primary key,
  transaction_id bigint not null,
  attempt_no     smallint not null,
  state          text not null,
  event          text not null,
  detail         text not null,
  at             timestamptz not null
);
create index incidents_transaction_idx on incidents (transaction_id);
`;
