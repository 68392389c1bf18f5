import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Value that goes back on chain: each refund's life as payments knows it, and where a partner has its money sent when it names no address. */
export class Refunds1765000001100 implements MigrationInterface {
  public readonly name = 'Refunds1765000001100';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Refunds are in the ledger: there is no way down');
  }
}

const sql = `
create table refunds (
  -- Of the numbers of transactions, so that no two things of a partner's have the same.
  refund_id        bigint constraint refunds_pk primary key,
  partner_id       integer not null,
  transaction_id   bigint not null,
  deposit_id       bigint not null,
  chain            text not null,
  asset            text not null,
  decimals         smallint not null,
  amount_minor     numeric(38,0) not null,
  -- As the chain spells it.
  address          text not null,
  -- P7: of a pay that failed. P11: of value that was unapplied.
  origin           text not null,
  state            text not null,
  -- Of its own transfer; null before it is signed.
  transaction_hash text,
  -- Why it FAILED.
  failure          text,
  -- The newest of offramp's events that was handled: an older one has nothing to say any more.
  told_sequence    integer not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  constraint refunds_amount_check check (amount_minor > 0),
  constraint refunds_origin_check check (origin in ('P7', 'P11')),
  constraint refunds_state_check check (state in ('HELD', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')),
  constraint refunds_failure_check check (state <> 'FAILED' or failure is not null)
) with (fillfactor = 80);
-- A deposit goes back once; after a refund that failed it may be asked for again.
create unique index refunds_live_key on refunds (deposit_id) where state <> 'FAILED';
create index refunds_deposit_idx on refunds (deposit_id);
create index refunds_transaction_idx on refunds (transaction_id);
create index refunds_open_idx on refunds (created_at, refund_id) where state in ('HELD', 'SIGNED', 'BROADCAST');

-- Where a partner's refunds go that name no address: set by people, for each family of chains. The newest counts; none is taken away.
create table return_addresses (
  id         bigint generated always as identity constraint return_addresses_pk primary key,
  partner_id integer not null,
  family     text not null,
  -- null: from then on there is none.
  address    text,
  reason     text not null,
  set_by     text not null,
  set_at     timestamptz not null
);
create index return_addresses_partner_idx on return_addresses (partner_id, family, id desc);

-- The canonical transfer it came by, which is not always what its pay claimed; null in rows of before.
alter table deposits add column transaction_hash text;
create index deposits_transfer_idx on deposits (partner_id, transaction_hash) where transaction_hash is not null;
`;
