-- What notifier keeps: secrets, deliveries with their attempts, and the delivery queues that deliveries are claimed by.

-- One per partner, for default and per-request URLs alike. Sealed by `Cipher` of libs/runtime, with the key's id in the text.
create table webhook_secrets (
  partner_id             bigint constraint webhook_secrets_pk primary key,
  sealed_secret          text not null,
  created_at             timestamptz not null,
  -- The secret before the last rotation: signed with, too, until previous_until.
  previous_sealed_secret text,
  previous_until         timestamptz,
  constraint webhook_secrets_previous_check check ((previous_sealed_secret is null) = (previous_until is null))
);

-- Numbers of test webhooks, which are of no transaction: above those of transactions and orders.
create sequence webhook_test_numbers minvalue 7000000000000000;

-- One row per event that has somewhere to go. webhook-id is transaction_id and sequence.
--
-- Deliveries and their attempts are partitioned by the month of the event, which is part of the event and never changes.
-- An event told twice meets its first row in the same partition. So the unique constraint means what it would over one
-- table.
create table deliveries (
  id              bigint generated always as identity,
  occurred_at     timestamptz not null,
  transaction_id  bigint not null,
  sequence        integer not null,
  partner_id      bigint not null,
  event_type      text not null,
  -- Refunds are of a transaction or of an order. Null: the event's name says it.
  is_order        boolean,
  -- A final state is told whatever came after it. Another may be overtaken.
  is_final        boolean not null,
  -- What the receiver knows the transaction or the order by.
  code            text not null,
  callback_url    text not null,
  -- Of the URL, with its port: what concurrency is limited by.
  host            text not null,
  traceparent     text not null,
  -- The snapshot, byte for byte. Null once it has expired, which it does at rest alone.
  body            text,
  state           text not null,
  attempts        smallint not null default 0,
  -- Attempts made before it was asked for again: its schedule counts from there.
  attempts_before smallint not null default 0,
  -- When it was last asked for again. Nothing supersedes such a one, for somebody wants it.
  resent_at       timestamptz,
  -- When it is due. While it is claimed, when the claim lapses. Null at rest.
  next_attempt_at timestamptz,
  -- Counts the claims: an outcome is recorded only under the claim it was made under.
  fence           integer not null default 0,
  created_at      timestamptz not null,
  settled_at      timestamptz,
  constraint deliveries_pk primary key (id, occurred_at),
  constraint deliveries_webhook_id_key unique (transaction_id, sequence, occurred_at),
  constraint deliveries_state_check check (state in ('pending', 'delivered', 'exhausted', 'superseded', 'ended')),
  constraint deliveries_due_check check ((state = 'pending') = (next_attempt_at is not null)),
  constraint deliveries_settled_check check ((state = 'pending') = (settled_at is null)),
  constraint deliveries_sequence_check check (sequence >= 1),
  constraint deliveries_body_check check (body is not null or state <> 'pending')
) partition by range (occurred_at);
create index deliveries_due_idx on deliveries (next_attempt_at, id) where state = 'pending';
-- A delivery queue's own deliveries, the next due first.
create index deliveries_delivery_queue_idx on deliveries (partner_id, host, next_attempt_at, id) where state = 'pending';
-- Webhooks that were given up are found without reading all that were not.
create index deliveries_given_up_idx on deliveries (settled_at, transaction_id, sequence) where state = 'exhausted';
create index deliveries_log_idx on deliveries (partner_id, state, created_at, id);
create index deliveries_code_idx on deliveries (partner_id, code);
create index deliveries_expiry_idx on deliveries (settled_at) where state <> 'pending' and body is not null;
-- What no month holds yet lands here, so that a late maintenance run refuses nothing.
create table deliveries_default partition of deliveries default;

-- One row per POST whose outcome was recorded. No bodies, no URLs.
create table delivery_attempts (
  delivery_id bigint not null,
  -- The delivery's.
  occurred_at timestamptz not null,
  attempt     smallint not null,
  started_at  timestamptz not null,
  duration_ms integer not null,
  status      smallint,
  error       text,
  constraint delivery_attempts_pk primary key (delivery_id, attempt, occurred_at),
  constraint delivery_attempts_outcome_check check ((status is null) <> (error is null))
) partition by range (occurred_at);
create table delivery_attempts_default partition of delivery_attempts default;

-- Deliveries are claimed by delivery queues, one for each partner and host. A claim reads what it takes and little more, however
-- many are due, and none of the due waits behind another's. A delivery queue says whether it is worth a look, and whose turn it is.
create table delivery_queues (
  partner_id      bigint not null,
  host            text not null,
  -- Not after the first of its pending deliveries is due, or a claim on one lapses. Null: none was pending when it was
  -- last served.
  due_at          timestamptz,
  served_at       timestamptz not null default 'epoch',
  -- Of POSTs that reached nobody, in a row. A delivery queue's, and not its host's: a partner may name another's host, with a path
  -- that never answers. It then holds back its own deliveries alone.
  failures        integer not null default 0,
  last_failure_at timestamptz,
  -- How often it was held back, one time after the other.
  pauses          integer not null default 0,
  -- Null: not held back. In the past: one delivery may look whether its receiver is back.
  held_until      timestamptz,
  -- One does, until held_until at the latest.
  is_probed       boolean not null default false,
  -- Since when it waits for its turn. Lanes are served in this order, and each goes to the end of it when it is served.
  turn_at         timestamptz generated always as (greatest(due_at, served_at, held_until)) stored,
  constraint delivery_queues_pk primary key (partner_id, host)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
create index delivery_queues_turn_idx on delivery_queues (turn_at, partner_id, host) where due_at is not null and held_until is null;
create index delivery_queues_partner_turn_idx on delivery_queues (partner_id, turn_at) where due_at is not null and held_until is null;
-- Those that are held back wait apart, so that any number of them is never in the way of the others.
create index delivery_queues_held_turn_idx on delivery_queues (turn_at, partner_id, host) where due_at is not null and held_until is not null;
-- Without anything pending: forgotten after a while.
create index delivery_queues_idle_idx on delivery_queues (served_at) where due_at is null;

-- endpoint.disabled is counted per partner.
create table endpoint_event_numbers (
  partner_id bigint constraint endpoint_event_numbers_pk primary key,
  last       integer not null
);
