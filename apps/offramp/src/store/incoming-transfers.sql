
-- Rows without lifted_at are in force.
create table switches (
  id         bigint generated always as identity constraint switches_pk primary key,
  chain      text not null,
  -- Token symbol. Null: the whole chain.
  asset      text,
  reason     text not null,
  off_since  timestamptz not null,
  off_by     text not null,
  lifted_at  timestamptz,
  lifted_by  text,
  lifted_why text,
  constraint switches_lifted_check check ((lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lifted_why is null))
);
create unique index switches_off_key on switches (chain, coalesce(asset, '')) where lifted_at is null;

create table scan_cursors (
  chain          text constraint scan_cursors_pk primary key,
  -- In the reader's format. Null: nothing was scanned yet.
  cursor         text,
  -- Newest scanned block.
  scanned_to     timestamptz,
  -- Earlier transfers are not in incoming_transfers.
  began_at       timestamptz,
  moved_at       timestamptz,
  -- When the next page is due, or the end of the lease.
  next_page_at   timestamptz not null,
  -- A page is recorded only under its fence.
  fence          integer not null default 0,
  troubled_since timestamptz,
  trouble        text
);

create table incoming_transfers (
  id               bigint generated always as identity constraint incoming_transfers_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  ordinal          integer not null,
  -- Contract, mint or CODE:ISSUER.
  token            text not null,
  -- Null: the token is not listed.
  symbol           text,
  amount_minor     numeric(38,0) not null,
  sender           text not null,
  -- Below a cent: kept, but no alert.
  is_dust          boolean not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  seen_at          timestamptz not null,
  -- Its block was removed, and it was not seen since.
  reverted_at      timestamptz,
  -- When its deposit was recorded.
  claimed_at       timestamptz,
  -- When people were alerted that it is unclaimed.
  told_at          timestamptz,
  constraint incoming_transfers_transfer_key unique (chain, transaction_hash, address, ordinal),
  constraint incoming_transfers_amount_check check (amount_minor > 0)
);
create index incoming_transfers_block_idx on incoming_transfers (chain, block_number);
create index incoming_transfers_unclaimed_idx on incoming_transfers (is_dust, seen_at, id) where claimed_at is null and reverted_at is null;

-- Could not be kept: people check them.
create table quarantined_incoming_transfers (
  id               bigint generated always as identity constraint quarantined_incoming_transfers_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  ordinal          text not null,
  reason           text not null,
  told             jsonb not null,
  seen_at          timestamptz not null,
  constraint quarantined_incoming_transfers_key unique (chain, transaction_hash, address, ordinal)
);
