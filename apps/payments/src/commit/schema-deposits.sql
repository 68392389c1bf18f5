-- Deposits on chain: the pays and orders they are for, where their value is, and refunds of them.

-- What a pay says of its deposit. Its row claims the hash until released: one partner, chain and hash, one transaction.
create table pays (
  transaction_id   bigint constraint pays_pk primary key,
  partner_id       integer not null,
  chain            text not null,
  -- Canonical: every spelling of one hash becomes this text.
  transaction_hash text not null,
  -- The token that the partner named; null: any accepted token.
  asset            text,
  quote_id         uuid,
  refund_address   text,
  -- No final deposit was found, so the partner may use the hash again.
  released_at      timestamptz
) with (fillfactor = 90);
create unique index pays_claim_key on pays (partner_id, chain, transaction_hash) where released_at is null;
create index pays_hash_idx on pays (partner_id, transaction_hash);

-- A table of its own, not columns of pays: a batch locks all hashes first, then all quotes. So two batches never deadlock.
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
  -- The part of the hold that we paid (shortfall_covered), in minor units of the transaction's currency.
  shortfall_minor   numeric(38,0) not null,
  -- The deposit that decided its transaction. Others came beside it, or later.
  is_main           boolean not null,
  -- Why the partner's quote was not used.
  quote_passed_over text,
  state             text not null,
  -- Canonical, of the transfer it came by. A pay may have claimed another hash.
  transaction_hash  text,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint deposits_received_check check (received_minor > 0),
  constraint deposits_rate_check check (rate > 0),
  constraint deposits_shortfall_check check (shortfall_minor >= 0 and (shortfall_minor = 0 or is_main)),
  -- funding: behind the payout, or paid out. credited: in the wallet (payout_released, unapplied_credited). unapplied, refunding: on the accounts of that name.
  -- ordered: on the account unapplied, and its order decides first. Where an order uses a part, the state is that of the rest.
  -- refunded: sent back on chain. reverted: the chain took it back, and so did the ledger.
  constraint deposits_state_check check (
    state in ('funding', 'ordered', 'unapplied', 'credited', 'refunding', 'refunded', 'reverted') and (is_main or state <> 'funding'))
) with (fillfactor = 80);
create unique index deposits_main_key on deposits (transaction_id) where is_main;
create index deposits_transaction_idx on deposits (transaction_id);
-- Value that waits for its partner, or for its refund.
create index deposits_waiting_idx on deposits (created_at, deposit_id) where state in ('unapplied', 'refunding');
create index deposits_transfer_idx on deposits (partner_id, transaction_hash) where transaction_hash is not null;

-- A deposit that the chain took back, recorded once. Its value may come into the ledger later, or never.
create table vanished_deposits (
  deposit_id     bigint constraint vanished_deposits_pk primary key,
  transaction_id bigint not null,
  -- The event that reported it.
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);

-- No attempt begins for a transaction whose deposit has vanished. Both writers hold the lock of the transaction,
-- so one of them sees the other's row (DepositStore.rememberVanished).
-- The trigger runs once per statement: a batch of wallet payouts finds no deposit and asks nothing more.
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

-- Value that goes back on chain.
create table refunds (
  -- From the numbers of transactions, so that no two things of a partner have the same id.
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
  -- refund_held: of a pay that failed. unapplied_refund_held: of unapplied value.
  origin           text not null,
  state            text not null,
  -- Of the refund's own transfer; null before it is signed.
  transaction_hash text,
  -- Why it FAILED.
  failure          text,
  -- The newest of offramp's events that was handled. An older event changes nothing.
  told_sequence    integer not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  constraint refunds_amount_check check (amount_minor > 0),
  constraint refunds_origin_check check (origin in ('refund_held', 'unapplied_refund_held')),
  -- HELD waits for a grant; GRANTED may be signed.
  constraint refunds_state_check check (state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')),
  constraint refunds_failure_check check (state <> 'FAILED' or failure is not null)
) with (fillfactor = 80);
-- A deposit goes back once. After a failed refund it may be asked for again.
create unique index refunds_live_key on refunds (deposit_id) where state <> 'FAILED';
create index refunds_deposit_idx on refunds (deposit_id);
create index refunds_transaction_idx on refunds (transaction_id);
create index refunds_open_idx on refunds (created_at, refund_id) where state in ('HELD', 'SIGNED', 'BROADCAST');
create index refunds_unended_idx on refunds (created_at, refund_id) where state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST');
create index refunds_held_idx on refunds (created_at, refund_id) where state = 'HELD';

-- Where people say that a partner's refunds go when a refund names no address, for each chain family. The newest row counts.
create table return_addresses (
  id         bigint generated always as identity constraint return_addresses_pk primary key,
  partner_id integer not null,
  family     text not null,
  -- Null: from then on there is none.
  address    text,
  reason     text not null,
  set_by     text not null,
  set_at     timestamptz not null
);
create index return_addresses_partner_idx on return_addresses (partner_id, family, id desc);

-- The partner's default webhook when a refund was asked for. For refunds whose transaction has no URL. Written before the refund.
create table refund_urls (
  refund_id    bigint constraint refund_urls_pk primary key,
  callback_url text not null,
  created_at   timestamptz not null
);

-- Checkout's orders, known here once they are settled: their partner's name for them, and the currency of their deposits.
create table orders (
  -- Checkout's. It is also the number of the crediting transaction, and the transaction_id of the order's deposits.
  order_number bigint constraint orders_pk primary key,
  partner_id   integer not null,
  -- The partner's own.
  order_id     text not null,
  currency     text not null
);

-- What the transaction that credits an order shows of it. Without that transaction the row says nothing.
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

-- Policy credits what an order left over (unapplied_credited). The event came before the order's own and is carried out after it.
create table early_credits (
  deposit_id     bigint constraint early_credits_pk primary key,
  currency       text not null,
  -- Fiat per whole token, of that day.
  rate           text not null,
  -- The event that reported it.
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null
);
