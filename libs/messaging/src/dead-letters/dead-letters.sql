create table dead_letters (
  consumer_group      text not null,
  event_id            uuid not null,
  topic               text not null,
  key                 text not null,
  reason              text not null,
  detail              text not null,
  tries               integer not null,
  envelope            text,
  macs                text,
  created_at          timestamptz not null,
  replay_requested_at timestamptz,
  requested_by        text,
  replayed_at         timestamptz,
  constraint dead_letters_pk primary key (consumer_group, event_id),
  constraint dead_letters_request_check check ((replay_requested_at is null) = (requested_by is null)),
  constraint dead_letters_replayed_check check (replayed_at is null or replay_requested_at is not null)
);
-- Polled every few seconds, nearly always empty.
create index dead_letters_requested_idx on dead_letters (consumer_group, created_at, event_id)
  where replay_requested_at is not null and replayed_at is null;
-- Their number is bounded.
create index dead_letters_foreign_idx on dead_letters (consumer_group) where reason = 'foreign';
create index dead_letters_dead_idx on dead_letters (created_at, event_id) where replayed_at is null;
