
create table rates (
  currency text constraint rates_pk primary key,
  -- Fiat per USD, 1e-18.
  mid_e18  numeric(38,0) not null,
  at       timestamptz not null,
  constraint rates_mid_check check (mid_e18 > 0)
);

create table quotes (
  id           uuid constraint quotes_pk primary key,
  partner_id   integer not null,
  currency     text not null,
  amount_minor numeric(38,0) not null,
  -- When quoted, rounded up. Null: not counted among open quotes.
  usd_cents    numeric(38,0),
  chain        text not null,
  asset        text not null,
  -- Fiat per whole token.
  rate         numeric(38,18) not null,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  -- Claim (= transaction). Null again when it is released.
  taken_by     bigint,
  constraint quotes_amount_check check (amount_minor > 0 and rate > 0)
);
create unique index quotes_taken_key on quotes (taken_by) where taken_by is not null;
create index quotes_idle_idx on quotes (expires_at) where taken_by is null;
create index quotes_open_idx on quotes (partner_id, expires_at) include (usd_cents) where taken_by is null;
