create table partners (
  id                   bigint generated always as identity (maxvalue 9007199254740991) constraint partners_pkey primary key,
  name                 text not null constraint partners_name_key unique,
  email                text not null,
  -- Default for requests without a URL. Query and fragment sealed by WebhookCipher, here and in webhook_disabled_url.
  webhook_url          text,
  -- Null: never set. Each change of webhook_url sets it.
  webhook_set_at       timestamptz,
  -- The last default that a receiver's 410 removed.
  webhook_disabled_url text,
  webhook_disabled_at  timestamptz,
  -- Null: active.
  suspended_at         timestamptz,
  -- Status changes published so far.
  status_sequence      integer not null default 0,
  -- As in VUKA_TERMS_FILE. Null: the deployment's terms.
  terms                jsonb,
  created_at           timestamptz not null
);

create table api_keys (
  visible_prefix text constraint api_keys_pkey primary key,
  partner_id     bigint not null constraint api_keys_partner_fkey references partners (id),
  kind           text not null constraint api_keys_kind_check check (kind in ('consumer', 'checkout')),
  hash           bytea not null constraint api_keys_hash_check check (length(hash) = 32),
  -- Id of the pepper of the hash.
  pepper         text not null,
  label          text,
  -- Null: all of its kind.
  scopes         text[],
  -- CIDRs. Null: any.
  addresses      text[],
  created_at     timestamptz not null,
  created_by     text,
  expires_at     timestamptz,
  revoked_at     timestamptz,
  revoked_by     text,
  last_used_at   timestamptz,
  -- Visible prefix of the replacement.
  replaced_by    text
);
create index api_keys_partner_idx on api_keys (partner_id, kind);

create table idempotency_keys (
  partner_id       bigint not null,
  operation        text not null,
  key              text not null constraint idempotency_keys_key_check check (length(key) between 1 and 255),
  -- Keyed: the newest index key's id is in it.
  fingerprint      text not null,
  transaction_code text not null,
  response         text,
  runs             integer not null default 1,
  lease_token      uuid not null,
  leased_until     timestamptz not null,
  expires_at       timestamptz not null,
  constraint idempotency_keys_pkey primary key (partner_id, operation, key)
);
create index idempotency_keys_expiry_idx on idempotency_keys (expires_at);
