
-- Far from transaction and claim numbers, as an order's number is also that of its transaction.
create sequence order_numbers as bigint start with 5000000000000000 maxvalue 5999999999999999 no cycle;

create table orders (
  order_number     bigint constraint orders_pk primary key,
  partner_id       bigint not null,
  -- Counts the partner's orders from 1 without gaps, so one row tells how many were made within a day.
  place            bigint not null,
  -- The partner's.
  order_id         text not null,
  -- Keyed.
  fingerprint      text not null,
  -- Of the crediting transaction.
  transaction_code text not null,
  -- Names the order's page; grants nothing else.
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
  -- The partner's default when it was made, as gateway sealed it.
  callback_url     text,
  state            text not null,
  reason           text not null,
  message          text not null,
  -- Counts history lines.
  sequence         integer not null,
  -- Counts events to the partner.
  public_sequence  integer not null,
  -- Counts settlement events.
  settled_sequence integer not null default 0,
  created_at       timestamptz not null,
  expires_at       timestamptz not null,
  -- When offramp reported that the chain is past its end.
  passed_at        timestamptz,
  -- When time alone may end it. Null: not by time.
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
-- Bounds number and value of a partner's open orders.
create index orders_open_idx on orders (partner_id) include (usd_cents) where state in ('PENDING', 'PROCESSING');
create index orders_open_by_end_idx on orders (network, expires_at) where state in ('PENDING', 'PROCESSING');
create index orders_transaction_code_idx on orders (transaction_code);

-- By claim, token and deposit. Rows that are gone or reverted stay, and do not count.
create table order_deposits (
  order_number     bigint not null constraint order_deposits_order_fk references orders (order_number),
  claim_id         bigint not null,
  -- USDC@BASE
  asset            text not null,
  -- Offramp's id; 0: not final. A transfer that returns is a new deposit of the same claim.
  deposit_id       bigint not null,
  chain            text not null,
  decimals         smallint not null,
  received_minor   numeric(38,0) not null,
  transaction_hash text not null,
  block_time       timestamptz not null,
  -- seen: not final. confirmed: final. screened: final, but marked. gone, reverted: no longer there.
  state            text not null,
  -- Offramp's facts, once it is final.
  facts            jsonb,
  -- Null: not settled yet.
  used_minor       numeric(38,0),
  -- Credited to the partner. Null: not settled yet.
  credited_minor   numeric(38,0),
  -- Of the newest event; an older one changes nothing.
  sequence         integer not null,
  first_seen_at    timestamptz not null,
  updated_at       timestamptz not null,
  constraint order_deposits_pk primary key (order_number, claim_id, asset, deposit_id),
  constraint order_deposits_state_check check (state in ('seen', 'confirmed', 'screened', 'gone', 'reverted')),
  constraint order_deposits_facts_check check ((state in ('seen', 'gone')) = (deposit_id = 0) and (deposit_id = 0 or facts is not null))
);

-- Newest event per claim, so that a late `seen` changes nothing.
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
