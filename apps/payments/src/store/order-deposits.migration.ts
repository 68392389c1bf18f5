import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** What arrives for orders: a deposit that waits for its order to be judged is `ordered`. */
export class OrderDeposits1766000001000 implements MigrationInterface {
  public readonly name = 'OrderDeposits1766000001000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Deposits of orders are in the ledger: there is no way down');
  }
}

const sql = `
-- ordered: on the account unapplied, and its order has the first word. Of an order's deposit that is credited in part, the rest is unapplied.
alter table deposits
  drop constraint deposits_state_check,
  add constraint deposits_state_check check (
    state in ('funding', 'ordered', 'unapplied', 'credited', 'refunding', 'refunded', 'reverted') and (is_main or state <> 'funding')) not valid;
alter table deposits validate constraint deposits_state_check;

-- Of checkout's orders: what their deposits are worth something in, and what their partners call them. Known once an order is settled.
create table orders (
  -- checkout's: also the number of the transaction that credits it, and transaction_id of its deposits.
  order_number bigint constraint orders_pk primary key,
  partner_id   integer not null,
  -- The partner's own.
  order_id     text not null,
  currency     text not null
);

-- What the row of the transaction that credits an order says of it. Without that transaction it says nothing.
create table order_credits (
  transaction_id   bigint constraint order_credits_pk primary key,
  -- The partner's own.
  order_id         text not null,
  chain            text not null,
  -- The token's symbol.
  asset            text not null,
  -- Of the first transfer that was used.
  transaction_hash text not null,
  rate             numeric not null
);

-- That policy credits what an order has left (P14), told before the order's own word: it is carried out after that.
create table early_credits (
  deposit_id     bigint constraint early_credits_pk primary key,
  currency       text not null,
  -- Fiat per whole token, of that day.
  rate           text not null,
  -- The event that told of it.
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);
`;
