-- The only record of what may be on a chain.

create table refunds (
  -- Assigned by payments.
  refund_id          bigint constraint refunds_pk primary key,
  partner_id         bigint not null,
  deposit_id         bigint not null,
  -- Its state again if the refund fails. Null: its chain had reverted it.
  deposit_was        text,
  chain              text not null,
  asset              text not null,
  decimals           smallint not null,
  amount_minor       numeric(38,0) not null,
  -- In the chain's spelling.
  address            text not null,
  state              text not null,
  reason             text,
  note               text,
  -- It fails with this reason once its exported transfer is proven dead. Null: it is to be sent.
  ends_as            text,
  ends_since         timestamptz,
  -- When it is due, or the end of the lease.
  next_due_at        timestamptz,
  -- A result is recorded only under the fence of its turn.
  fence              integer not null default 0,
  trouble            text,
  troubled_since     timestamptz,
  -- Since when the chain says that the recipient cannot receive it.
  refused_since      timestamptz,
  screening_hit      boolean not null default false,
  -- When people allowed it in spite of screening.
  cleared_at         timestamptz,
  -- Since when its partner may owe for another vanished deposit. Null: no, or people allowed it.
  withheld_since     timestamptz,
  granted_at         timestamptz,
  -- Minor units of the native coin.
  cost_minor         numeric(38,0),
  cost_allowed_minor numeric(38,0),
  -- When the chain last answered for all signed versions. Later endpoints may have forgotten them.
  fate_known_at      timestamptz,
  -- Since when people have to decide what became of it.
  unsure_since       timestamptz,
  -- When people said that no version was included.
  dead_agreed_at     timestamptz,
  -- In the last event.
  transaction_hash   text,
  last_sequence      integer not null default 0,
  correlation_id     text not null,
  causation_id       text not null,
  created_at         timestamptz not null,
  signed_at          timestamptz,
  broadcast_at       timestamptz,
  ended_at           timestamptz,
  constraint refunds_state_check check (state in ('queued', 'prepared', 'signed', 'broadcast', 'confirmed', 'failed')),
  constraint refunds_due_check check ((state in ('confirmed', 'failed')) = (next_due_at is null)),
  constraint refunds_ended_check check ((next_due_at is null) = (ended_at is not null)),
  constraint refunds_reason_check check ((state = 'failed') = (reason is not null)),
  constraint refunds_amount_check check (amount_minor > 0),
  constraint refunds_ends_check check ((ends_as is null) = (ends_since is null))
);
-- A deposit's value is refunded only once.
create unique index refunds_deposit_key on refunds (deposit_id) where state <> 'failed';
create index refunds_due_idx on refunds (chain, next_due_at, refund_id) where next_due_at is not null;

-- A new version needs an earlier one that can never be included, or the same place.
create table refund_transfers (
  refund_id        bigint not null,
  version          integer not null,
  chain            text not null,
  wallet           text not null,
  -- Nonce or sequence number. Null: the chain has none.
  place            numeric(38,0),
  unsigned         jsonb not null,
  -- Signed bytes, committed before anybody gets them.
  raw              text,
  transaction_hash text,
  -- void: never signed here. dead: signed, but can never be included.
  state            text not null,
  created_at       timestamptz not null,
  exported_at      timestamptz,
  signed_at        timestamptz,
  constraint refund_transfers_pk primary key (refund_id, version),
  constraint refund_transfers_refund_fk foreign key (refund_id) references refunds (refund_id),
  constraint refund_transfers_state_check check (state in ('prepared', 'void', 'signed', 'final', 'failed', 'dead')),
  constraint refund_transfers_signed_check check ((state in ('prepared', 'void')) = (raw is null) and (raw is null) = (transaction_hash is null) and (raw is null) = (signed_at is null))
);
create unique index refund_transfers_hash_key on refund_transfers (chain, transaction_hash);
create unique index refund_transfers_prepared_key on refund_transfers (refund_id) where state = 'prepared';
create index refund_transfers_place_idx on refund_transfers (chain, wallet, place) where place is not null and state in ('signed', 'final', 'failed');
create index refund_transfers_live_idx on refund_transfers (chain, wallet) where state in ('prepared', 'signed');

-- A place that was used on chain stays taken.
create table refund_places (
  chain     text not null,
  wallet    text not null,
  place     numeric(38,0) not null,
  refund_id bigint not null,
  constraint refund_places_pk primary key (chain, wallet, place),
  constraint refund_places_refund_fk foreign key (refund_id) references refunds (refund_id)
);
create index refund_places_refund_idx on refund_places (refund_id);

-- Rent of recipients' new accounts.
create table refund_rents (
  refund_id  bigint constraint refund_rents_pk primary key,
  partner_id bigint not null,
  chain      text not null,
  rent_minor numeric(38,0) not null,
  at         timestamptz not null,
  constraint refund_rents_refund_fk foreign key (refund_id) references refunds (refund_id)
);
create index refund_rents_partner_idx on refund_rents (partner_id, chain, at);
