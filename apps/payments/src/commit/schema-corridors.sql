
-- People switched a provider, or corridors of it, off: no new attempt begins there. Null: all of them.
create table corridor_switches (
  id         bigint generated always as identity constraint corridor_switches_pk primary key,
  provider   text not null,
  currency   text,
  kind       text,
  network    text,
  reason     text not null,
  off_by     text not null,
  off_since  timestamptz not null,
  lifted_by  text,
  lifted_at  timestamptz,
  lifted_why text,
  constraint corridor_switches_scope_check check (
    (kind is null or currency is not null) and (network is null or coalesce(kind, '') = 'mobile')),
  constraint corridor_switches_lifted_check check (
    (lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lifted_why is null))
);
create unique index corridor_switches_standing_key
  on corridor_switches (provider, coalesce(currency, ''), coalesce(kind, ''), coalesce(network, '')) where lifted_at is null;

-- What attempts came to lately, counted by all processes, by ten seconds. '' is no network, here and below.
create table corridor_outcomes (
  provider text not null,
  currency text not null,
  kind     text not null,
  network  text not null,
  -- Its beginning.
  slot     timestamptz not null,
  well     integer not null,
  ill      integer not null,
  constraint corridor_outcomes_pk primary key (provider, currency, kind, network, slot)
);

-- Corridors that became ill, and those that have recovered.
create table corridor_health (
  provider    text not null,
  currency    text not null,
  kind        text not null,
  network     text not null,
  is_ill      boolean not null,
  -- Outcomes before it do not count any more.
  since       timestamptz not null,
  detail      text not null,
  -- Of an ill one: when a payment may try it again.
  probe_at    timestamptz not null,
  -- Of an ill one: paid in a row, of what was sent since.
  probes_paid integer not null default 0,
  constraint corridor_health_pk primary key (provider, currency, kind, network)
);

-- Corridors that their provider says are slow or closed. '': all networks.
create table corridor_notices (
  provider text not null,
  currency text not null,
  kind     text not null,
  network  text not null,
  state    text not null,
  -- When the provider was last heard.
  told_at  timestamptz not null,
  constraint corridor_notices_pk primary key (provider, currency, kind, network),
  constraint corridor_notices_state_check check (state in ('slow', 'closed'))
);
