-- Chains and tokens that people switch off, and what arrives at addresses of ours, whether anybody claims it or not.

-- Every switching-off there was. Those without lifted_at are in force.
create table switches (
  id         bigint generated always as identity constraint switches_pk primary key,
  chain      text not null,
  -- The token's symbol. Null: the whole chain.
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

-- How far each chain has been looked through for incoming transfers.
create table scan_cursors (
  chain          text constraint scan_cursors_pk primary key,
  -- Of the chain's reader. Null: nothing was looked through yet.
  cursor         text,
  -- The time of the newest block that was looked through.
  scanned_to     timestamptz,
  -- When the cursor was first set: what arrived before is not among the incoming transfers.
  began_at       timestamptz,
  -- When it last moved.
  moved_at       timestamptz,
  -- When the next page is due. While one is read, when the lease lapses.
  next_page_at   timestamptz not null,
  -- Counts the pages begun: one is recorded only under the fence it was begun with.
  fence          integer not null default 0,
  -- Since when no page came to anything.
  troubled_since timestamptz,
  trouble        text
);

create table incoming_transfers (
  id               bigint generated always as identity constraint incoming_transfers_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  -- Its place among the transaction's transfers.
  ordinal          integer not null,
  -- What tells a token from its lookalikes: contract, mint, or CODE:ISSUER.
  token            text not null,
  -- Of the listed token. Null: none that is listed.
  symbol           text,
  amount_minor     numeric(38,0) not null,
  sender           text not null,
  -- Worth less than a cent: kept, and nobody is called for it.
  is_dust          boolean not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  seen_at          timestamptz not null,
  -- Its block went, and it has not been seen again since.
  reverted_at      timestamptz,
  -- When a deposit of it was found to be recorded: it is nobody's concern any more.
  claimed_at       timestamptz,
  -- When people were told that nobody has claimed it.
  told_at          timestamptz,
  constraint incoming_transfers_transfer_key unique (chain, transaction_hash, address, ordinal),
  constraint incoming_transfers_amount_check check (amount_minor > 0)
);
create index incoming_transfers_block_idx on incoming_transfers (chain, block_number);
create index incoming_transfers_unclaimed_idx on incoming_transfers (is_dust, seen_at, id) where claimed_at is null and reverted_at is null;

-- What was found and cannot be kept as an incoming transfer: told, and looked at by people. The scan goes on past it.
create table quarantined_incoming_transfers (
  id               bigint generated always as identity constraint quarantined_incoming_transfers_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  ordinal          text not null,
  reason           text not null,
  -- As the reader told it.
  told             jsonb not null,
  seen_at          timestamptz not null,
  constraint quarantined_incoming_transfers_key unique (chain, transaction_hash, address, ordinal)
);
