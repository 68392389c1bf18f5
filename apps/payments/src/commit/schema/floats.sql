
-- What providers said that our floats hold, a row an hour. Only for people and alarms: nothing is paid by it.
create table float_readings (
  provider     text not null,
  wallet       text not null,
  currency     text not null,
  -- Its beginning.
  hour         timestamptz not null,
  told_minor   numeric(38,0) not null,
  told_at      timestamptz not null,
  -- What the balance fell by from reading to reading.
  spent_minor  numeric(38,0) not null,
  -- What the ledger says, summed once an hour.
  ledger_minor numeric(38,0),
  ledger_at    timestamptz,
  constraint float_readings_pk primary key (provider, wallet, currency, hour),
  constraint float_readings_spent_check check (spent_minor >= 0),
  constraint float_readings_ledger_check check ((ledger_minor is null) = (ledger_at is null))
);
