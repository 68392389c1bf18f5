
-- Indexes are never reused: an address belongs to one partner for ever. EVM indexes end at 2^31 - 1 (unhardened).
create sequence deposit_address_indexes as integer minvalue 0 start with 0 no cycle;
create sequence solana_address_indexes as integer minvalue 0 start with 0 no cycle;
create sequence stellar_address_indexes as integer minvalue 0 start with 0 no cycle;

create table deposit_addresses (
  id               bigint generated always as identity constraint deposit_addresses_pk primary key,
  partner_id       bigint not null,
  -- One address serves all chains of a family.
  family           text not null,
  purpose          text not null,
  derivation_index integer not null,
  -- Identifies the account key without revealing it.
  xpub_id          text not null,
  address          text not null,
  -- Earlier transfers were not sent to this partner.
  created_at       timestamptz not null,
  constraint deposit_addresses_index_key unique (xpub_id, derivation_index),
  constraint deposit_addresses_address_key unique (address),
  constraint deposit_addresses_purpose_check check (purpose in ('partner', 'order')),
  constraint deposit_addresses_index_check check (derivation_index >= 0)
);
create unique index deposit_addresses_partner_key on deposit_addresses (partner_id, family) where purpose = 'partner';

create table order_watches (
  -- Assigned by checkout.
  order_number   bigint constraint order_watches_pk primary key,
  partner_id     bigint not null,
  chain          text not null,
  asset          text not null,
  currency       text not null,
  amount_minor   numeric(38,0) not null,
  -- Fiat per whole token, frozen.
  rate           text not null,
  due_minor      numeric(38,0) not null,
  family         text not null,
  address        text not null constraint order_watches_address_key unique,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  -- Until then every page covers its address; later once a day.
  watch_until    timestamptz not null,
  -- When the chain was seen past expires_at.
  passed_at      timestamptz,
  last_sequence  integer not null default 0,
  correlation_id text not null,
  causation_id   text not null,
  -- Finds rows committed since the last read.
  xid            xid8 not null default pg_current_xact_id(),
  constraint order_watches_amount_check check (amount_minor > 0 and due_minor > 0)
);
create index order_watches_open_idx on order_watches (chain, expires_at) where passed_at is null;
create index order_watches_family_idx on order_watches (family, watch_until, order_number);
create index order_watches_xid_idx on order_watches (family, xid, order_number);

-- Far above transaction ids, which are the claim ids of pays.
create sequence order_claim_ids as bigint start with 6000000000000000 no cycle;

-- One row per waiting pay, and per transfer to an order's address.
create table claims (
  transaction_id    bigint constraint claims_pk primary key,
  partner_id        bigint not null,
  -- Null: it belongs to a pay.
  order_number      bigint constraint claims_order_fk references order_watches (order_number),
  chain             text not null,
  transaction_hash  text not null,
  -- Null: any accepted token.
  asset             text,
  currency          text not null,
  amount_minor      numeric(38,0) not null,
  quote_id          uuid,
  -- Copied from the quote that this claim took.
  quote_asset       text,
  quote_rate        text,
  quote_expires_at  timestamptz,
  quote_passed_over text,
  -- Fiat per whole token, frozen when accepted, or at the first check with a fresh rate.
  rate              text,
  accepted_at       timestamptz not null,
  deadline          timestamptz not null,
  state             text not null,
  reason            text,
  seen_at           timestamptz,
  -- First check with a result; reset on reopening.
  checked_at         timestamptz,
  -- Text of the last "seen" event.
  told_sight        text,
  -- When it is due, or the end of the lease.
  next_check_at      timestamptz,
  -- A result is recorded only under the fence of its check.
  fence             integer not null default 0,
  -- Since when no check has had a result.
  troubled_since    timestamptz,
  trouble           text,
  -- Since when only the exposure limit holds it back.
  exposed_since     timestamptz,
  last_sequence     integer not null default 0,
  correlation_id    text not null,
  causation_id      text not null,
  created_at        timestamptz not null,
  judged_at         timestamptz,
  constraint claims_state_check check (state in ('open', 'seen', 'verified', 'unusable', 'unapplied')),
  constraint claims_due_check check ((state in ('open', 'seen')) = (next_check_at is not null)),
  constraint claims_judged_check check ((next_check_at is null) = (judged_at is not null)),
  constraint claims_quote_check check ((quote_asset is null) = (quote_rate is null) and (quote_asset is null) = (quote_expires_at is null)),
  constraint claims_amount_check check (amount_minor > 0)
);
create index claims_due_idx on claims (chain, next_check_at, transaction_id) where next_check_at is not null;
-- Shares checks among partners: one with a million claims delays nobody else.
create index claims_partner_due_idx on claims (chain, partner_id, next_check_at, transaction_id) where next_check_at is not null;
create index claims_hash_idx on claims (chain, transaction_hash);
create unique index claims_order_key on claims (order_number, chain, transaction_hash) where order_number is not null;

-- One row per transfer, address and token. What exceeds a quote is a deposit of its own.
create table deposits (
  id               bigint generated always as identity constraint deposits_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  -- Ledger name: USDC@CELO.
  asset            text not null,
  -- True: the part that exceeds the quote.
  beyond_quote     boolean not null default false,
  token            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  -- Used by an order. Null: it belongs to a pay.
  used_minor       numeric(38,0),
  partner_id       bigint not null,
  claim_id         bigint not null,
  state            text not null,
  -- Screening lists a sender: a person must allow its use.
  screening_hit    boolean not null,
  -- Fiat per whole token: the claim's, or a credit's rate of the day.
  rate             text not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  -- Of the finality rule.
  rule_version     integer not null,
  -- Heights and transfers, as endpoints agreed.
  evidence         jsonb not null,
  created_at       timestamptz not null,
  settled_at       timestamptz,
  -- Null: a reorganisation may still remove it.
  finalized_at     timestamptz,
  -- When a recheck is due, or the end of the lease. Null: none.
  recheck_at       timestamptz default 'epoch',
  -- A result is recorded only under the fence of its recheck.
  recheck_fence    integer not null default 0,
  missing_since    timestamptz,
  -- Since when endpoints do not report it, though its block is canonical.
  untold_since     timestamptz,
  constraint deposits_transfer_key unique (chain, transaction_hash, address, asset, beyond_quote),
  constraint deposits_claim_fk foreign key (claim_id) references claims (transaction_id),
  constraint deposits_state_check check (state in ('unapplied', 'consumed', 'credited', 'refunding', 'refunded')),
  constraint deposits_received_check check (received_minor > 0),
  constraint deposits_used_check check (used_minor between 0 and received_minor),
  constraint deposits_settled_check check ((state in ('credited', 'refunded')) = (settled_at is not null))
);
create index deposits_unapplied_idx on deposits (id) where state = 'unapplied';
create index deposits_claim_idx on deposits (claim_id);
create index deposits_recheck_idx on deposits (chain, recheck_at, id) where recheck_at is not null;
create index deposits_exposed_idx on deposits (partner_id) where finalized_at is null;

-- Removed by a reorganisation. One that returns becomes a new deposit.
create table reverted_deposits (
  id               bigint constraint reverted_deposits_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  asset            text not null,
  token            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  used_minor       numeric(38,0),
  partner_id       bigint not null,
  claim_id         bigint not null,
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
  watch_until      timestamptz not null,
  next_check_at     timestamptz,
  fence            integer not null default 0,
  -- The new deposit.
  returned_as      bigint
);
create index reverted_deposits_due_idx on reverted_deposits (chain, next_check_at, id) where next_check_at is not null;
create index reverted_deposits_claim_idx on reverted_deposits (claim_id);
