-- What was accepted in one hour or day of UTC, where terms limit it. Written by commit_batch alone.
create table velocity_counters (
  id           bigint generated always as identity constraint velocity_counters_pk primary key,
  partner_id   integer not null,
  per          text not null,
  -- A key's visible prefix, a recipient's keyed fingerprint, or empty.
  subject      text not null,
  currency     text not null,
  span         text not null,
  starts_at    timestamptz not null,
  amount_minor numeric not null default 0,
  payouts      integer not null default 0,
  constraint velocity_counters_key unique (partner_id, per, subject, currency, span, starts_at),
  constraint velocity_counters_check check (amount_minor >= 0 and payouts >= 0)
) with (fillfactor = 50);
create index velocity_counters_starts_idx on velocity_counters (starts_at);

-- Where a payout was counted, so that one that fails gives back exactly that, once.
create table counted_payouts (
  transaction_id bigint constraint counted_payouts_pk primary key,
  counters       bigint[] not null,
  amount_minor   numeric(38,0) not null,
  counted_at     timestamptz not null
);
create index counted_payouts_at_idx on counted_payouts (counted_at);
