-- Addresses given, claims on transfers, what arrived and what its chain took back, and orders that are watched for.

-- Places that addresses are given by. Never set back and never reused: an address belongs to one partner for ever.
-- Unhardened children of an EVM account end at 2^31 - 1.
create sequence deposit_address_indexes as integer minvalue 0 start with 0 no cycle;
-- Places in the file of Solana's addresses.
create sequence solana_address_indexes as integer minvalue 0 start with 0 no cycle;
-- Numbers of muxed addresses on Stellar.
create sequence stellar_address_indexes as integer minvalue 0 start with 0 no cycle;

create table deposit_addresses (
  id               bigint generated always as identity constraint deposit_addresses_pk primary key,
  partner_id       bigint not null,
  -- One address is the same on all chains of a family.
  family           text not null,
  purpose          text not null,
  derivation_index integer not null,
  -- Names the account key without being it.
  xpub_id          text not null,
  address          text not null,
  -- What arrived before was not sent to this partner.
  created_at       timestamptz not null,
  constraint deposit_addresses_index_key unique (xpub_id, derivation_index),
  constraint deposit_addresses_address_key unique (address),
  constraint deposit_addresses_purpose_check check (purpose in ('partner', 'order')),
  constraint deposit_addresses_index_check check (derivation_index >= 0)
);
create unique index deposit_addresses_partner_key on deposit_addresses (partner_id, family) where purpose = 'partner';

-- One for each order: its address, what it was promised, and how long it is watched. All of one commit.
create table order_watches (
  -- checkout's.
  order_number   bigint constraint order_watches_pk primary key,
  partner_id     bigint not null,
  chain          text not null,
  asset          text not null,
  currency       text not null,
  amount_minor   numeric(38,0) not null,
  -- Fiat per whole token, frozen.
  rate           text not null,
  -- Token minor units.
  due_minor      numeric(38,0) not null,
  family         text not null,
  address        text not null constraint order_watches_address_key unique,
  created_at     timestamptz not null,
  expires_at     timestamptz not null,
  -- Until then its address is looked at with every page. Later, once a day.
  watch_until    timestamptz not null,
  -- When its chain was seen to be past its end.
  passed_at      timestamptz,
  -- Of the outbox, within this order.
  last_sequence  integer not null default 0,
  correlation_id text not null,
  causation_id   text not null,
  -- Who looks for addresses reads what was committed since the last time.
  xid            xid8 not null default pg_current_xact_id(),
  constraint order_watches_amount_check check (amount_minor > 0 and due_minor > 0)
);
create index order_watches_open_idx on order_watches (chain, expires_at) where passed_at is null;
create index order_watches_family_idx on order_watches (family, watch_until, order_number);
create index order_watches_xid_idx on order_watches (family, xid, order_number);

-- Numbers of claims that orders' incoming transfers make: far from those of transactions, which claims of pays have.
create sequence order_claim_ids as bigint start with 6000000000000000 no cycle;

-- What partners said they sent, one row per pay that waits for its deposit. And what came to an order's address.
create table claims (
  transaction_id    bigint constraint claims_pk primary key,
  partner_id        bigint not null,
  -- Of the order whose address it came to. Null: a pay's.
  order_number      bigint constraint claims_order_fk references order_watches (order_number),
  chain             text not null,
  transaction_hash  text not null,
  -- The token that was named. Null: whichever accepted one arrived.
  asset             text,
  currency          text not null,
  amount_minor      numeric(38,0) not null,
  quote_id          uuid,
  -- Of a quote that this claim took.
  quote_asset       text,
  quote_rate        text,
  quote_expires_at  timestamptz,
  -- Why it took none.
  quote_passed_over text,
  -- Fiat per whole token, frozen when the claim came, else at the first look that had a fresh one.
  rate              text,
  accepted_at       timestamptz not null,
  deadline          timestamptz not null,
  state             text not null,
  reason            text,
  seen_at           timestamptz,
  -- When a look first came to something, whatever it was. Of a claim that was opened again: since then.
  checked_at         timestamptz,
  -- What was last told of it as seen, as it was told. Null: nothing.
  told_sight        text,
  -- When it is due. While it is looked at, when the lease lapses. Null at rest.
  next_check_at      timestamptz,
  -- Counts the looks begun: one is recorded only under the fence it was begun with.
  fence             integer not null default 0,
  -- Since when no look came to anything.
  troubled_since    timestamptz,
  trouble           text,
  -- Since when nothing but the limit of its partner's exposure holds it back.
  exposed_since     timestamptz,
  -- Of the outbox, within this claim.
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
-- Looks are shared out among partners: one who claims a million hashes keeps nobody else waiting.
create index claims_partner_due_idx on claims (chain, partner_id, next_check_at, transaction_id) where next_check_at is not null;
-- Whether somebody waits for what an incoming transfer came to.
create index claims_hash_idx on claims (chain, transaction_hash);
create unique index claims_order_key on claims (order_number, chain, transaction_hash) where order_number is not null;

-- What arrived for good: one row per transfer, address of ours and token, in exactly one state. What came beyond a quote
-- is a deposit of its own, beside the one that the quote prices.
create table deposits (
  id               bigint generated always as identity constraint deposits_pk primary key,
  chain            text not null,
  transaction_hash text not null,
  address          text not null,
  -- The ledger's name: USDC@CELO.
  asset            text not null,
  -- True: more of the token that paid than its quote prices. False: what was priced, or all that came of its token.
  beyond_quote     boolean not null default false,
  token            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  -- What an order has used of it. Null: it is a pay's.
  used_minor       numeric(38,0),
  partner_id       bigint not null,
  claim_id         bigint not null,
  state            text not null,
  -- A sender is on the list: nothing of it is used without a person.
  screening_hit    boolean not null,
  -- Fiat per whole token: the claim's, and of a credit that of its day.
  rate             text not null,
  block_number     bigint not null,
  block_hash       text not null,
  block_time       timestamptz not null,
  -- Of the finality rule it was judged by.
  rule_version     integer not null,
  -- Heights and transfers as the endpoints agreed on them.
  evidence         jsonb not null,
  created_at       timestamptz not null,
  settled_at       timestamptz,
  -- When its block was seen to stay for good. Null: a reorganisation may still take it.
  finalized_at     timestamptz,
  -- When it is due to be looked at again: at once, unless it is written otherwise. While it is looked at, when the lease
  -- lapses. Null at rest.
  recheck_at       timestamptz default 'epoch',
  -- Counts the looks begun: one is recorded only under the fence it was begun with.
  recheck_fence    integer not null default 0,
  -- Since when the chain says that it is not there.
  missing_since    timestamptz,
  -- Since when its endpoints tell nothing of it, though its block is the chain's.
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
  used_minor       numeric(38,0),
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
  next_check_at     timestamptz,
  fence            integer not null default 0,
  -- The deposit that it came back as.
  returned_as      bigint
);
create index reverted_deposits_due_idx on reverted_deposits (chain, next_check_at, id) where next_check_at is not null;
create index reverted_deposits_claim_idx on reverted_deposits (claim_id);
