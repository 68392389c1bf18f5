
-- One transaction for each partner, chain and hash, until released.
create table pays (
  transaction_id   bigint constraint pays_pk primary key,
  partner_id       integer not null,
  chain            text not null,
  transaction_hash text not null,
  asset            text,
  quote_id         uuid,
  refund_address   text,
  -- No final deposit: the partner may use the hash again.
  released_at      timestamptz
) with (fillfactor = 90);
create unique index pays_claim_key on pays (partner_id, chain, transaction_hash) where released_at is null;
create index pays_hash_idx on pays (partner_id, transaction_hash);

-- A batch locks all hashes, then all quotes. A separate table avoids deadlocks.
create table quote_uses (
  transaction_id bigint constraint quote_uses_pk primary key,
  quote_id       uuid not null,
  released_at    timestamptz
) with (fillfactor = 90);
create unique index quote_uses_quote_key on quote_uses (quote_id) where released_at is null;

-- By offramp's id.
create table deposits (
  deposit_id        bigint constraint deposits_pk primary key,
  transaction_id    bigint not null,
  partner_id        integer not null,
  chain             text not null,
  asset             text not null,
  decimals          smallint not null,
  received_minor    numeric(38,0) not null,
  -- Fiat per whole token.
  rate              numeric not null,
  -- In minor units of the transaction's currency: our part of the hold.
  shortfall_minor   numeric(38,0) not null,
  -- The deposit that decided its transaction.
  is_main           boolean not null,
  quote_passed_over text,
  state             text not null,
  -- Canonical. A pay may have claimed another hash.
  transaction_hash  text,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint deposits_received_check check (received_minor > 0),
  constraint deposits_rate_check check (rate > 0),
  constraint deposits_shortfall_check check (shortfall_minor >= 0 and (shortfall_minor = 0 or is_main)),
  -- After partial use: where the rest is. funding: behind the payout, or paid out. ordered: on the account
  -- unapplied; its order decides first. refunded: sent back on chain.
  constraint deposits_state_check check (
    state in ('funding', 'ordered', 'unapplied', 'credited', 'refunding', 'refunded', 'reverted') and (is_main or state <> 'funding'))
) with (fillfactor = 80);
create unique index deposits_main_key on deposits (transaction_id) where is_main;
create index deposits_transaction_idx on deposits (transaction_id);
create index deposits_waiting_idx on deposits (created_at, deposit_id) where state in ('unapplied', 'refunding');
create index deposits_transfer_idx on deposits (partner_id, transaction_hash) where transaction_hash is not null;

-- The value may come into the ledger later, or never.
create table vanished_deposits (
  deposit_id     bigint constraint vanished_deposits_pk primary key,
  transaction_id bigint not null,
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);

-- No attempt begins on a vanished deposit. Both writers lock the transaction, so one sees the other's row
-- (DepositStore.rememberVanished).
create function refuse_attempts_of_vanished_deposits() returns trigger language plpgsql as $$
declare
  v_gone bigint;
begin
  select d.deposit_id into v_gone
    from started s
    join deposits d on d.transaction_id = s.transaction_id and d.is_main
    join vanished_deposits g on g.deposit_id = d.deposit_id
   limit 1;
  if found then
    raise exception 'deposit % has vanished: no attempt begins on it', v_gone
      using errcode = 'check_violation', constraint = 'attempts_deposit_stands';
  end if;
  return null;
end $$;
create trigger attempts_deposit_stands after insert on attempts
  referencing new table as started for each statement execute function refuse_attempts_of_vanished_deposits();

create table refunds (
  -- From the sequence of transaction ids: never equal to one.
  refund_id        bigint constraint refunds_pk primary key,
  partner_id       integer not null,
  transaction_id   bigint not null,
  deposit_id       bigint not null,
  chain            text not null,
  asset            text not null,
  decimals         smallint not null,
  amount_minor     numeric(38,0) not null,
  address          text not null,
  origin           text not null,
  state            text not null,
  -- Of the refund's own transfer.
  transaction_hash text,
  failure          text,
  -- Older events of offramp change nothing.
  told_sequence    integer not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  constraint refunds_amount_check check (amount_minor > 0),
  constraint refunds_origin_check check (origin in ('refund_held', 'unapplied_refund_held')),
  constraint refunds_state_check check (state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')),
  constraint refunds_failure_check check (state <> 'FAILED' or failure is not null)
) with (fillfactor = 80);
-- A deposit goes back once, unless its refund failed.
create unique index refunds_live_key on refunds (deposit_id) where state <> 'FAILED';
create index refunds_deposit_idx on refunds (deposit_id);
create index refunds_transaction_idx on refunds (transaction_id);
create index refunds_open_idx on refunds (created_at, refund_id) where state in ('HELD', 'SIGNED', 'BROADCAST');
create index refunds_unended_idx on refunds (created_at, refund_id) where state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST');
create index refunds_held_idx on refunds (created_at, refund_id) where state = 'HELD';

-- For refunds without an address. The newest row counts.
create table return_addresses (
  id         bigint generated always as identity constraint return_addresses_pk primary key,
  partner_id integer not null,
  family     text not null,
  -- Null: removed.
  address    text,
  reason     text not null,
  set_by     text not null,
  set_at     timestamptz not null
);
create index return_addresses_partner_idx on return_addresses (partner_id, family, id desc);

-- The partner's default webhook at the request, as gateway sealed it, if the transaction has no URL.
create table refund_urls (
  refund_id    bigint constraint refund_urls_pk primary key,
  partner_id   integer not null,
  callback_url text not null,
  created_at   timestamptz not null
);

create table orders (
  -- Also the id of the crediting transaction.
  order_number bigint constraint orders_pk primary key,
  partner_id   integer not null,
  order_id     text not null,
  currency     text not null
);

-- Means nothing without that transaction.
create table order_credits (
  transaction_id   bigint constraint order_credits_pk primary key,
  order_id         text not null,
  chain            text not null,
  asset            text not null,
  transaction_hash text not null,
  rate             numeric not null
);

-- Policy credits the rest of an order (unapplied_credited), but this event came before the order's.
create table early_credits (
  deposit_id     bigint constraint early_credits_pk primary key,
  currency       text not null,
  rate           text not null,
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);
