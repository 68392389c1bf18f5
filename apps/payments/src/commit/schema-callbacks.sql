-- What providers sent us by themselves. Only makes us ask sooner: a lost row loses nothing.
create table provider_callbacks (
  id                bigint generated always as identity constraint provider_callbacks_pk primary key,
  provider          text not null,
  -- Keyed digest of the body and the attempt that the path named: the same again is the same row.
  body_index        text not null,
  -- Method, host, path, headers and the body's bytes, as sent. Sealed: bodies name recipients, paths have tokens.
  sealed            text not null,
  -- Named by the path, and checked.
  attempt_reference uuid,
  -- Of what comes again after it was handled: when it came again.
  received_at       timestamptz not null,
  times             integer not null default 1,
  last_received_at  timestamptz not null,
  looks             integer not null default 0,
  -- Null: handled.
  due_at            timestamptz,
  lease_until       timestamptz,
  -- null: not read yet.
  signed            boolean,
  -- The attempt it is about.
  transaction_id    bigint,
  attempt_no        smallint,
  outcome           text,
  -- Codes and ids, no numbers of recipients.
  detail            text not null default '',
  handled_at        timestamptz,
  -- People have seen to one that nobody knows. Until then it is never deleted.
  resolved_at       timestamptz,
  resolved_by       text,
  constraint provider_callbacks_body_key unique (provider, body_index),
  constraint provider_callbacks_outcome_check check (outcome in ('recorded', 'known', 'asked', 'no_answer', 'unreadable', 'unknown', 'failed')),
  constraint provider_callbacks_handled_check check (
    (outcome is null) = (handled_at is null) and (outcome is null) = (due_at is not null)),
  constraint provider_callbacks_resolved_check check (
    (resolved_at is null) = (resolved_by is null) and (resolved_at is null or outcome = 'unknown'))
) with (fillfactor = 80);
create index provider_callbacks_due_idx on provider_callbacks (provider, due_at) where due_at is not null;
create index provider_callbacks_waiting_idx on provider_callbacks (provider, received_at)
  where due_at is not null or (outcome = 'unknown' and resolved_at is null);
create index provider_callbacks_handled_idx on provider_callbacks (handled_at) where handled_at is not null;
create index provider_callbacks_attempt_idx on provider_callbacks (transaction_id, attempt_no) where transaction_id is not null;
