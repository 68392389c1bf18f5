
-- One per partner. Sealed by `Cipher` (libs/runtime), with the key's id in the text.
create table webhook_secrets (
  partner_id             bigint constraint webhook_secrets_pk primary key,
  sealed_secret          text not null,
  created_at             timestamptz not null,
  -- Also signs, until previous_until.
  previous_sealed_secret text,
  previous_until         timestamptz,
  constraint webhook_secrets_previous_check check ((previous_sealed_secret is null) = (previous_until is null))
);

-- For test webhooks: above transactions and orders.
create sequence webhook_test_numbers minvalue 7000000000000000;

-- One row per event with a URL. webhook-id is transaction_id and sequence. Partitioned by the event's month, which
-- never changes: a repeated event meets its row in the same partition, so the unique constraint holds.
create table deliveries (
  id              bigint generated always as identity,
  occurred_at     timestamptz not null,
  transaction_id  bigint not null,
  sequence        integer not null,
  partner_id      bigint not null,
  event_type      text not null,
  -- null: the event's name decides.
  is_order        boolean,
  -- Always sent; others may be superseded.
  is_final        boolean not null,
  code            text not null,
  -- Query and fragment as gateway sealed them.
  callback_url    text not null,
  -- With port; limits concurrency.
  host            text not null,
  traceparent     text not null,
  -- Sealed; sent byte for byte as it was before. Expires only when settled.
  body            text,
  state           text not null,
  attempts        smallint not null default 0,
  -- Before the last resend: the schedule restarts there.
  attempts_before smallint not null default 0,
  -- Last resend; never superseded then.
  resent_at       timestamptz,
  -- Due, or the end of a claim's lease.
  next_attempt_at timestamptz,
  -- Counts claims: an outcome counts only under its claim.
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
create index deliveries_delivery_queue_idx on deliveries (partner_id, host, next_attempt_at, id) where state = 'pending';
create index deliveries_given_up_idx on deliveries (settled_at, transaction_id, sequence) where state = 'exhausted';
create index deliveries_log_idx on deliveries (partner_id, state, created_at, id);
create index deliveries_code_idx on deliveries (partner_id, code);
create index deliveries_expiry_idx on deliveries (settled_at) where state <> 'pending' and body is not null;
-- Rows without a month's partition, after late maintenance.
create table deliveries_default partition of deliveries default;

-- No bodies, no URLs.
create table delivery_attempts (
  delivery_id bigint not null,
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

-- One per partner and host. A claim reads little more than it takes; no queue waits behind another.
create table delivery_queues (
  partner_id      bigint not null,
  host            text not null,
  -- Never after its first pending delivery or lapsing claim. Null: none pending when last served.
  due_at          timestamptz,
  served_at       timestamptz not null default 'epoch',
  -- Unreachable POSTs in a row. Not per host: a partner may name another's host with a path that never answers.
  failures        integer not null default 0,
  last_failure_at timestamptz,
  -- In a row.
  pauses          integer not null default 0,
  -- Null: not held back. In the past: one delivery may probe.
  held_until      timestamptz,
  -- Until held_until at most.
  is_probed       boolean not null default false,
  -- Served in this order; then it goes to the end.
  turn_at         timestamptz generated always as (greatest(due_at, served_at, held_until)) stored,
  constraint delivery_queues_pk primary key (partner_id, host)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200);
create index delivery_queues_turn_idx on delivery_queues (turn_at, partner_id, host) where due_at is not null and held_until is null;
create index delivery_queues_partner_turn_idx on delivery_queues (partner_id, turn_at) where due_at is not null and held_until is null;
-- Apart, so held queues never slow down others.
create index delivery_queues_held_turn_idx on delivery_queues (turn_at, partner_id, host) where due_at is not null and held_until is not null;
create index delivery_queues_idle_idx on delivery_queues (served_at) where due_at is null;

create table endpoint_event_numbers (
  partner_id bigint constraint endpoint_event_numbers_pk primary key,
  last       integer not null
);
