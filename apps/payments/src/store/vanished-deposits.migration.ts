import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Deposits that a chain took back, and places of their value that come with refunds. */
export class VanishedDeposits1765000001000 implements MigrationInterface {
  public readonly name = 'VanishedDeposits1765000001000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('What the ledger took back is told by these states: there is no way down');
  }
}

const sql = `
-- refunded: sent back on chain. reverted: the chain took it back, and so did the ledger.
alter table deposits
  drop constraint deposits_state_check,
  add constraint deposits_state_check check (
    state in ('funding', 'unapplied', 'credited', 'refunding', 'refunded', 'reverted') and (is_main or state <> 'funding')) not valid;
alter table deposits validate constraint deposits_state_check;

-- That a deposit is gone, told once; also of one whose value never came into the ledger, or comes later.
create table vanished_deposits (
  deposit_id     bigint constraint vanished_deposits_pk primary key,
  transaction_id bigint not null,
  -- The event that told of it.
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);

-- Whose incident of a vanished deposit is open, is frozen: looked up before each payout.
create index incidents_vanished_idx on incidents (transaction_id) where event = 'deposit.reverted' and resolved_at is null;
`;
