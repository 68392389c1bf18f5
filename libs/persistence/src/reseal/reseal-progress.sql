-- How far the sealed columns of this schema were sealed anew. A pass that was stopped goes on from here.
create table reseal_progress (
  -- table.column
  name       text constraint reseal_progress_pk primary key,
  -- Id of the key that seals in this pass.
  key_id     text not null,
  -- Of the last row that was looked at. Null: none yet.
  last_key   text[],
  looked_at  bigint not null default 0,
  resealed   bigint not null default 0,
  -- Sealed by a key that is not there any more, or changed by others.
  unopened   bigint not null default 0,
  -- Rows by the key that had sealed them.
  found      jsonb not null default '{}',
  started_at timestamptz not null,
  updated_at timestamptz not null,
  done_at    timestamptz
);
