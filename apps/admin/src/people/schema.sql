-- People who may ask. A row is never removed, and its name is never given again.
create table operators (
  id                bigint generated always as identity constraint operators_pk primary key,
  name              text not null constraint operators_name_key unique,
  role              text not null,
  -- Of a random credential. null: it was taken away.
  credential_sha256 text constraint operators_credential_key unique,
  -- Who asked for it; null: it was there from the beginning.
  made_by           text,
  made_at           timestamptz not null,
  removed_at        timestamptz,
  removed_by        text,
  constraint operators_role_check check (role in ('viewer', 'support', 'money', 'admin')),
  constraint operators_credential_check check (credential_sha256 ~ '^[0-9a-f]{64}$')
);

-- What one person asked for and another must agree to.
create table approvals (
  id           bigint generated always as identity constraint approvals_pk primary key,
  -- The act is committed once under it, however often it is tried.
  operation_id uuid not null constraint approvals_operation_key unique,
  service      text not null,
  method       text not null,
  -- Tagged JSON, as text: its digest is signed.
  args         text not null,
  says         text not null,
  asked_by     text not null,
  asked_role   text not null,
  asked_at     timestamptz not null,
  expires_at   timestamptz not null,
  state        text not null default 'waiting',
  decided_by   text,
  decided_at   timestamptz,
  detail       text,
  constraint approvals_state_check check (state in ('waiting', 'approved', 'done', 'refused', 'declined')),
  constraint approvals_decided_check check ((state = 'waiting') = (decided_by is null))
);
create index approvals_open_idx on approvals (id) where state in ('waiting', 'approved');
