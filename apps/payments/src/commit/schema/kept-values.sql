-- What adapters keep over restarts, such as a provider's ids of recipients. Only saves calls: a lost row loses nothing.
create table provider_values (
  -- Keyed digest: it tells no account number and no credential.
  key     text not null constraint provider_values_pk primary key,
  value   text not null,
  kept_at timestamptz not null,
  constraint provider_values_key_check check (key ~ '^[0-9a-f]{64}$'),
  constraint provider_values_value_check check (length(value) between 1 and 200)
);
create index provider_values_kept_idx on provider_values (kept_at);
