-- What checkout keeps: orders, what came for each, and every change of them.

-- Far from the numbers of transactions and of order claims: an order's number is also that of the transaction that
-- credits it.
create sequence order_numbers as bigint start with 5000000000000000 maxvalue 5999999999999999 no cycle;

create table orders (
  order_number     bigint constraint orders_pk primary key,
  partner_id       bigint not null,
  -- Counts its partner's orders from 1, without a gap. So one order tells how many were made within a day, and nothing
  -- is counted.
  place            bigint not null,
  -- The partner's own.
  order_id         text not null,
  fingerprint      text not null,
  -- Of the transaction that credits it.
  transaction_code text not null,
  -- Names its page. Nothing follows from it.
  page_token       text not null constraint orders_page_token_key unique,
  network          text not null,
  asset            text not null,
  decimals         smallint not null,
  currency         text not null,
  amount_minor     numeric(38,0) not null,
  usd_cents        numeric(38,0) not null,
  rate             text not null,
  due_minor        numeric(38,0) not null,
  address          text not null,
  memo_address     text not null,
  memo             text not null,
  -- The partner's default when the order was made.
  callback_url     text,
  state            text not null,
  reason           text not null,
  message          text not null,
  -- Counts the transitions.
  sequence         integer not null,
  -- Counts the changes that partners are told of.
  public_sequence  integer not null,
  -- Of the outbox, within this order and each topic.
  settled_sequence integer not null default 0,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- When offramp said that the chain is past its end.
  passed_at        timestamptz,
  -- When time alone may end it. Null: nothing is waited for. Claimed in batches.
  due_at           timestamptz,
  ended_at         timestamptz,
  correlation_id   text not null,
  causation_id     text not null,
  updated_at       timestamptz not null,
  constraint orders_order_id_key unique (partner_id, order_id),
  constraint orders_place_key unique (partner_id, place),
  constraint orders_state_check check (state in ('PENDING', 'PROCESSING', 'COMPLETE', 'FAILED')),
  constraint orders_ended_check check ((state in ('COMPLETE', 'FAILED')) = (ended_at is not null)),
  constraint orders_amount_check check (amount_minor > 0 and due_minor > 0)
);
create index orders_due_idx on orders (due_at, order_number) where due_at is not null;
-- What bounds a partner's orders: how many are open, and of what worth.
create index orders_open_idx on orders (partner_id) include (usd_cents) where state in ('PENDING', 'PROCESSING');
create index orders_open_by_end_idx on orders (network, expires_at) where state in ('PENDING', 'PROCESSING');
create index orders_transaction_code_idx on orders (transaction_code);

-- What came for an order, by offramp's claim, token and deposit. One that is gone or reverted stays, and counts for
-- nothing.
create table order_deposits (
  order_number     bigint not null constraint order_deposits_order_fk references orders (order_number),
  claim_id         bigint not null,
  -- USDC@BASE
  asset            text not null,
  -- offramp's. 0: it is not final. A transfer that was taken back and came again is another deposit of the same claim.
  deposit_id       bigint not null,
  chain            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  transaction_hash text not null,
  block_time       timestamptz not null,
  -- seen: not final. confirmed: final. screened: final, and marked. gone, reverted: it is not there any more.
  state            text not null,
  -- offramp's facts as they were told, once it is final.
  facts            jsonb,
  -- What the order used of it. Null: not settled yet.
  used_minor       numeric(38,0),
  -- What its partner got for that. Null: not settled yet.
  credited_minor   numeric(38,0),
  -- Of the event that said the newest of it. An older one that comes late changes nothing.
  sequence         integer not null,
  first_seen_at    timestamptz not null,
  updated_at       timestamptz not null,
  constraint order_deposits_pk primary key (order_number, claim_id, asset, deposit_id),
  constraint order_deposits_state_check check (state in ('seen', 'confirmed', 'screened', 'gone', 'reverted')),
  constraint order_deposits_facts_check check ((state in ('seen', 'gone')) = (deposit_id = 0) and (deposit_id = 0 or facts is not null))
);

-- The newest that offramp has said of a claim. An older word that it was seen, which comes late, changes nothing.
create table claim_words (
  order_number bigint not null,
  claim_id     bigint not null,
  sequence     integer not null,
  constraint claim_words_pk primary key (order_number, claim_id)
);

create table order_transitions (
  order_number bigint not null,
  sequence     integer not null,
  from_state   text,
  to_state     text not null,
  event        text not null,
  detail       text not null,
  at           timestamptz not null,
  constraint order_transitions_pk primary key (order_number, sequence)
);
