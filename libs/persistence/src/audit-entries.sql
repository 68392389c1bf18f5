-- Append-only: the database refuses updates and deletes.
create table audit_entries (
  id          bigint generated always as identity constraint acts_pk primary key,
  at          timestamptz not null,
  by_whom     text not null,
  act         text not null,
  partner_id  bigint,
  subject     text not null,
  reason      text not null,
  approved_by text,
  details     jsonb not null,
  -- For the seal.
  xid         bigint not null default pg_current_xact_id()::text::bigint,
  role        text,
  -- Of what people asked for: null for what the service does by itself. A step for each entry of one operation.
  operation_id   uuid,
  operation_step integer,
  operation_run  uuid,
  constraint acts_by_check check (by_whom <> ''),
  constraint acts_reason_check check (reason <> '')
);
create unique index acts_operation_key on audit_entries (operation_id, operation_step);
create index acts_seal_idx on audit_entries (xid, id);
create index acts_partner_idx on audit_entries (partner_id, id);
create function refuse_changed_acts() returns trigger language plpgsql as $audit_entries$
begin
  raise exception 'audit entries are a record: rows are added and never changed or removed';
end $audit_entries$;
create trigger acts_are_kept before update or delete or truncate on audit_entries for each statement execute function refuse_changed_acts();
