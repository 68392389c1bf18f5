-- The higher sequence wins.
create table partner_statuses (
  partner_id integer constraint partner_statuses_pk primary key,
  status     text not null,
  sequence   integer not null,
  told_at    timestamptz not null,
  constraint partner_statuses_status_check check (status in ('active', 'suspended'))
);
