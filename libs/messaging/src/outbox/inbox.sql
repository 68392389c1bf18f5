create table inbox (
  consumer_group text not null,
  event_id       uuid not null,
  occurred_at    timestamptz not null,
  constraint inbox_pk primary key (event_id, consumer_group, occurred_at)
) partition by range (occurred_at);
create table inbox_default partition of inbox default;
