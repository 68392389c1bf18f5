import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Orders of checkout: addresses of their own, what is watched for them, and the claims that their arrivals make. */
export class Orders1766000000000 implements MigrationInterface {
  public readonly name = 'Orders1766000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('An order\'s address is never given twice: there is no way down');
  }
}

const sql = `
-- One for each order: its address, what it was promised, and how long it is watched. All of one commit.
create table order_watches (
  -- checkout's.
  order_number  bigint constraint order_watches_pk primary key,
  partner_id    bigint not null,
  chain         text not null,
  asset         text not null,
  currency      text not null,
  amount_minor  numeric(38,0) not null,
  -- Fiat per whole token, frozen.
  rate          text not null,
  -- Token minor units.
  due_minor     numeric(38,0) not null,
  family        text not null,
  address       text not null constraint order_watches_address_key unique,
  created_at    timestamptz not null,
  expires_at    timestamptz not null,
  -- Until then its address is looked at with every page; later, once a day.
  watch_until   timestamptz not null,
  -- When its chain was seen to be past its end.
  passed_at     timestamptz,
  -- Of the outbox, within this order.
  last_sequence integer not null default 0,
  correlation_id text not null,
  causation_id   text not null,
  -- Who looks for addresses reads what was committed since the last time.
  xid            xid8 not null default pg_current_xact_id(),
  constraint order_watches_amount_check check (amount_minor > 0 and due_minor > 0)
);
create index order_watches_open_idx on order_watches (chain, expires_at) where passed_at is null;
create index order_watches_family_idx on order_watches (family, watch_until, order_number);
create index order_watches_xid_idx on order_watches (family, xid, order_number);

-- Far from the numbers of transactions, which claims of pays have.
create sequence order_claim_ids as bigint start with 6000000000000000 no cycle;

alter table claims
  -- Of the order whose address it came to; null: a pay's.
  add column order_number bigint constraint claims_order_fk references order_watches (order_number),
  -- When a look first came to something, whatever it was. Of a claim that was opened again: since then.
  add column looked_at    timestamptz,
  -- What was last told of it as seen, as it was told; null: nothing.
  add column told_sight   text;
create unique index claims_order_key on claims (order_number, chain, transaction_hash) where order_number is not null;

alter table deposits
  -- What an order has used of it; null: it is a pay's.
  add column used_minor numeric(38,0),
  add constraint deposits_used_check check (used_minor between 0 and received_minor) not valid;
alter table deposits validate constraint deposits_used_check;

alter table reverted_deposits
  add column used_minor numeric(38,0);

alter table scan_cursors
  -- The time of the newest block that was looked through.
  add column scanned_to timestamptz;
`;
