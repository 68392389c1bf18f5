-- Deposits that go back on chain: what was asked for, each version of its transfer, and which places of a wallet are
-- taken. Signed transfers are the only record of what may be on a chain.

create table refunds (
  -- payments': it has the value on refunding.
  refund_id          bigint constraint refunds_pk primary key,
  partner_id         bigint not null,
  deposit_id         bigint not null,
  -- Where its value was: it is back there if the refund fails. Null: its chain had taken it back.
  deposit_was        text,
  chain              text not null,
  asset              text not null,
  decimals           smallint not null,
  amount_minor       numeric(38,0) not null,
  -- As the chain spells it.
  address            text not null,
  state              text not null,
  -- Why it failed.
  reason             text,
  -- By whom and why, where people gave it up.
  note               text,
  -- The reason with which it fails once what a signer was shown is proven dead, and since when it waits for that. Null: it is to go out.
  ends_as            text,
  ends_since         timestamptz,
  -- When it is due. While it is worked on, when the lease lapses. Null at rest.
  next_due_at        timestamptz,
  -- Counts the turns begun: one is recorded only under the fence it was begun with.
  fence              integer not null default 0,
  -- What it waits for that does not come by itself, and since when.
  trouble            text,
  troubled_since     timestamptz,
  -- Since when the chain says that the recipient cannot have it.
  refused_since      timestamptz,
  -- Screening has the recipient on its list.
  screening_hit      boolean not null default false,
  -- When people let it go all the same, whatever screening says of value or recipient.
  cleared_at         timestamptz,
  -- Since when its partner may owe for another deposit that vanished, and people have not let it go since.
  withheld_since     timestamptz,
  -- Since when payments lets it be signed.
  granted_at         timestamptz,
  -- What its transfer would have cost when it was last held for that: minor units of the chain's native coin.
  cost_minor         numeric(38,0),
  -- Up to so much people let it cost.
  cost_allowed_minor numeric(38,0),
  -- When the chain last answered what had become of all that is signed. After long silence its endpoints may have
  -- forgotten.
  fate_known_at      timestamptz,
  -- Since when people have to say what became of it.
  unsure_since       timestamptz,
  -- When people said that what is signed never got in, against that doubt.
  dead_agreed_at     timestamptz,
  -- Of the transfer that was told last.
  transaction_hash   text,
  -- Of the outbox, within this refund.
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
-- The value of a deposit goes back once.
create unique index refunds_deposit_key on refunds (deposit_id) where state <> 'failed';
create index refunds_due_idx on refunds (chain, next_due_at, refund_id) where next_due_at is not null;

-- Versions of a refund's transfer, from 1. One is prepared anew only after the one before can never be on the chain, or
-- with the same place.
create table refund_transfers (
  refund_id        bigint not null,
  version          integer not null,
  chain            text not null,
  wallet           text not null,
  -- Nonce or sequence number. Null where the chain has none.
  place            numeric(38,0),
  unsigned         jsonb not null,
  -- What is given to the chain, committed before anybody is given it.
  raw              text,
  transaction_hash text,
  -- void: never signed here, and never will be. dead: signed, and proven to be nowhere for ever.
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
-- What another refund has done with a place.
create index refund_transfers_place_idx on refund_transfers (chain, wallet, place) where place is not null and state in ('signed', 'final', 'failed');
create index refund_transfers_live_idx on refund_transfers (chain, wallet) where state in ('prepared', 'signed');

-- Who has which place of a wallet. A place that was used on the chain stays taken for ever.
create table refund_places (
  chain     text not null,
  wallet    text not null,
  place     numeric(38,0) not null,
  refund_id bigint not null,
  constraint refund_places_pk primary key (chain, wallet, place),
  constraint refund_places_refund_fk foreign key (refund_id) references refunds (refund_id)
);
create index refund_places_refund_idx on refund_places (refund_id);

-- Refunds whose transfer makes an account for its recipient: the newest time, and the rent.
create table refund_rents (
  refund_id  bigint constraint refund_rents_pk primary key,
  partner_id bigint not null,
  chain      text not null,
  rent_minor numeric(38,0) not null,
  at         timestamptz not null,
  constraint refund_rents_refund_fk foreign key (refund_id) references refunds (refund_id)
);
create index refund_rents_partner_idx on refund_rents (partner_id, chain, at);
