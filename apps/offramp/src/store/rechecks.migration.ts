import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Deposits that were told of are looked at again until their block stays for good; what vanished, and what the limit of exposure holds back. */
export class Rechecks1765000000100 implements MigrationInterface {
  public readonly name = 'Rechecks1765000000100';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('What vanished is told by these tables: there is no way down');
  }
}

const sql = `
-- The defaults are those of a deposit that a release before writes: it is looked at again at once.
alter table deposits
  -- When its block was seen to stay for good. Null: a reorganisation may still take it.
  add column finalized_at  timestamptz,
  -- When it is due to be looked at again; while it is looked at, when the lease lapses. Null at rest.
  add column recheck_at    timestamptz default 'epoch',
  -- Counts the looks begun: one is recorded only under the fence it was begun with.
  add column recheck_fence integer not null default 0,
  -- Since when the chain says that it is not there.
  add column missing_since timestamptz,
  -- Since when its endpoints tell nothing of it, though its block is the chain's.
  add column untold_since  timestamptz;
-- No chain that is read takes a week to finalise: what is older than that stays.
update deposits set finalized_at = created_at, recheck_at = null where created_at < now() - interval '7 days';
create index deposits_recheck_idx on deposits (chain, recheck_at, id) where recheck_at is not null;
create index deposits_exposed_idx on deposits (partner_id) where finalized_at is null;

alter table claims
  -- Since when nothing but the limit of its partner's exposure holds it back.
  add column exposed_since timestamptz;

-- Deposits that their chain took back, as they were told of. One that comes back is another deposit.
create table reverted_deposits (
  id               bigint constraint reverted_deposits_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  asset            text not null,
  token            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  partner_id       bigint not null,
  claim_id         bigint not null,
  -- Where its value was.
  state            text not null,
  screening_hit    boolean not null,
  rate             text not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  rule_version     integer not null,
  evidence         jsonb not null,
  created_at       timestamptz not null,
  reverted_at      timestamptz not null,
  -- Until then it is looked for.
  watch_until      timestamptz not null,
  next_look_at     timestamptz,
  fence            integer not null default 0,
  -- The deposit that it came back as.
  returned_as      bigint
);
create index reverted_deposits_due_idx on reverted_deposits (chain, next_look_at, id) where next_look_at is not null;
create index reverted_deposits_claim_idx on reverted_deposits (claim_id);
`;
