import { deadLetterReplayMigrationSql, deadLettersMigrationSql, inboxMigrationSql, outboxMigrationSql } from '@vuka/messaging';
import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** The tables of offramp: addresses given, claims on transfers, and what arrived. */
export class OfframpSchema1764000000000 implements MigrationInterface {
  public readonly name = 'OfframpSchema1764000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(schemaSql);
    await runner.query(outboxMigrationSql());
    await runner.query(inboxMigrationSql());
    await runner.query(deadLettersMigrationSql());
    await runner.query(deadLetterReplayMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Deposits are the record of what arrived, and addresses are never given twice: offramp has no way down from its first migration');
  }
}

const schemaSql = `
-- Never set back and never reused: an address belongs to one partner for ever. Unhardened children end at 2^31 - 1.
create sequence deposit_address_indexes as integer minvalue 0 start with 0 no cycle;

create table deposit_addresses (
  id               bigint generated always as identity constraint deposit_addresses_pk primary key,
  partner_id       bigint not null,
  -- One address is the same on all chains of a family.
  family           text not null,
  purpose          text not null,
  derivation_index integer not null,
  -- Names the account key without being it.
  xpub_id          text not null,
  address          text not null,
  -- What arrived before was not sent to this partner.
  created_at       timestamptz not null,
  constraint deposit_addresses_index_key unique (xpub_id, derivation_index),
  constraint deposit_addresses_address_key unique (address),
  constraint deposit_addresses_purpose_check check (purpose in ('partner', 'order')),
  constraint deposit_addresses_index_check check (derivation_index >= 0)
);
create unique index deposit_addresses_partner_key on deposit_addresses (partner_id, family) where purpose = 'partner';

-- What partners said they sent: one row per pay that waits for its deposit.
create table claims (
  transaction_id   bigint constraint claims_pk primary key,
  partner_id       bigint not null,
  chain            text not null,
  transaction_hash text not null,
  -- The token that was named; null: whichever accepted one arrived.
  asset            text,
  currency         text not null,
  amount_minor     numeric(38,0) not null,
  quote_id         uuid,
  -- Of a quote that this claim took.
  quote_asset      text,
  quote_rate       text,
  quote_expires_at timestamptz,
  -- Why it took none.
  quote_passed_over text,
  -- Fiat per whole token, frozen when the claim came, else at the first look that had a fresh one.
  rate             text,
  accepted_at      timestamptz not null,
  deadline         timestamptz not null,
  state            text not null,
  reason           text,
  seen_at          timestamptz,
  -- When it is due; while it is looked at, when the lease lapses. Null at rest.
  next_look_at     timestamptz,
  -- Counts the looks begun: one is recorded only under the fence it was begun with.
  fence            integer not null default 0,
  -- Since when no look came to anything.
  troubled_since   timestamptz,
  trouble          text,
  -- Of the outbox, within this claim.
  last_sequence    integer not null default 0,
  correlation_id   text not null,
  causation_id     text not null,
  created_at       timestamptz not null,
  judged_at        timestamptz,
  constraint claims_state_check check (state in ('open', 'seen', 'verified', 'unusable', 'unapplied')),
  constraint claims_due_check check ((state in ('open', 'seen')) = (next_look_at is not null)),
  constraint claims_judged_check check ((next_look_at is null) = (judged_at is not null)),
  constraint claims_quote_check check ((quote_asset is null) = (quote_rate is null) and (quote_asset is null) = (quote_expires_at is null)),
  constraint claims_amount_check check (amount_minor > 0)
);
create index claims_due_idx on claims (chain, next_look_at, transaction_id) where next_look_at is not null;

-- What arrived for good: one row per transfer, address of ours and token, in exactly one state.
create table deposits (
  id               bigint generated always as identity constraint deposits_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  -- The ledger's name: USDC@CELO.
  asset            text not null,
  token            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  partner_id       bigint not null,
  claim_id         bigint not null,
  state            text not null,
  -- A sender is on the list: nothing of it is used without a person.
  screening_hit    boolean not null,
  -- Fiat per whole token: the claim's, and of a credit that of its day.
  rate             text not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  -- Of the finality rule it was judged by.
  rule_version     integer not null,
  -- Heights and transfers as the endpoints agreed on them.
  evidence         jsonb not null,
  created_at       timestamptz not null,
  settled_at       timestamptz,
  constraint deposits_transfer_key unique (chain, transaction_hash, address, asset),
  constraint deposits_claim_fk foreign key (claim_id) references claims (transaction_id),
  constraint deposits_state_check check (state in ('unapplied', 'consumed', 'credited', 'refunding', 'refunded')),
  constraint deposits_received_check check (received_minor > 0),
  constraint deposits_settled_check check ((state in ('credited', 'refunded')) = (settled_at is not null))
);
create index deposits_unapplied_idx on deposits (id) where state = 'unapplied';
create index deposits_claim_idx on deposits (claim_id);
`;
