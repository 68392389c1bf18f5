-- Money is numeric(38,0) in minor units: tokens with 18 decimals overflow bigint. The constraints are the last
-- guard.

create table accounts (
  id            bigint generated always as identity constraint accounts_pk primary key,
  name          text not null constraint accounts_name_key unique,
  kind          text not null,
  partner_id    integer,
  asset         text not null,
  -- Null for system accounts: every posting touches one, so it is summed from entries.
  balance_minor numeric(38,0),
  created_at    timestamptz not null,
  xid           bigint not null default pg_current_xact_id()::text::bigint,
  constraint accounts_sign_check check (
    case kind
      when 'wallet' then balance_minor >= 0
      when 'held' then balance_minor >= 0
      when 'unapplied' then balance_minor >= 0
      when 'refunding' then balance_minor >= 0
      when 'receivable' then balance_minor <= 0
      else balance_minor is null
    end is true
  ),
  constraint accounts_partner_check check ((partner_id is null) = (balance_minor is null))
) with (fillfactor = 50);
create index accounts_partner_idx on accounts (partner_id) where partner_id is not null;
create index accounts_seal_idx on accounts (xid, id);
create index accounts_due_idx on accounts (partner_id, asset) where kind = 'receivable' and balance_minor < 0;

-- Kept for ever and not partitioned: the unique reference makes a posting happen once.
create table postings (
  id             bigint generated always as identity constraint postings_pk primary key,
  reference      text not null constraint postings_reference_key unique,
  kind           text not null,
  transaction_id bigint,
  at             timestamptz not null,
  -- For the seal.
  xid            bigint not null default pg_current_xact_id()::text::bigint
);
-- Of blocks of pages: a commit pays next to nothing for it.
create index postings_seal_idx on postings using brin (xid) with (pages_per_range = 32, autosummarize = on);
create index postings_transaction_idx on postings (transaction_id) where transaction_id is not null;

-- Each leg moves one asset between two accounts, so every posting is zero per asset.
create table entries (
  posting_id   bigint not null,
  leg_no       smallint not null,
  from_account bigint not null,
  to_account   bigint not null,
  asset        text not null,
  amount_minor numeric(38,0) not null,
  at           timestamptz not null,
  constraint entries_pk primary key (posting_id, leg_no, at),
  constraint entries_amount_check check (amount_minor > 0),
  constraint entries_accounts_check check (from_account <> to_account)
) partition by range (at);
-- With the amount, so that old balances are summed from the index alone.
create index entries_out_idx on entries (from_account, posting_id, leg_no) include (at, amount_minor);
create index entries_in_idx on entries (to_account, posting_id, leg_no) include (at, amount_minor);
-- For months without a partition: late maintenance refuses no money.
create table entries_default partition of entries default;

-- One person proposes, another approves.
create table adjustments (
  id            bigint generated always as identity constraint adjustments_pk primary key,
  partner_id    integer not null,
  currency      text not null,
  direction     text not null,
  amount_minor  numeric(38,0) not null,
  reason        text not null,
  proposed_by   text not null,
  proposed_at   timestamptz not null,
  approved_by   text,
  approved_at   timestamptz,
  withdrawn_by  text,
  withdrawn_at  timestamptz,
  withdrawn_why text,
  constraint adjustments_direction_check check (direction in ('fund', 'debit')),
  constraint adjustments_amount_check check (amount_minor > 0),
  constraint adjustments_two_people_check check (approved_by is null or lower(approved_by) <> lower(proposed_by)),
  constraint adjustments_approved_check check (
    (approved_by is null) = (approved_at is null) and (approved_at is null or withdrawn_at is null)),
  constraint adjustments_withdrawn_check check (
    (withdrawn_at is null) = (withdrawn_by is null) and (withdrawn_at is null) = (withdrawn_why is null))
);
create index adjustments_partner_idx on adjustments (partner_id, id);
create index adjustments_open_idx on adjustments (id) where approved_at is null and withdrawn_at is null;

-- Between our bank, our wallets at providers and our own capital; what providers charge, where no answer tells it.
-- One person proposes, another approves. Posted as `float-movement:<id>`.
create table float_movements (
  id            bigint generated always as identity constraint float_movements_pk primary key,
  -- The name of its posting.
  kind          text not null,
  currency      text not null,
  -- Of a trade: the proceeds, or the price.
  amount_minor  numeric(38,0) not null,
  provider      text,
  wallet        text,
  -- Of a trade: `USDC@CELO`.
  asset         text,
  tokens_minor  numeric(38,0),
  evidence      text not null,
  proposed_by   text not null,
  proposed_at   timestamptz not null,
  approved_by   text,
  approved_at   timestamptz,
  withdrawn_by  text,
  withdrawn_at  timestamptz,
  withdrawn_why text,
  constraint float_movements_kind_check check (
    case
      when kind in ('float_funded', 'float_withdrawn', 'provider_fee', 'provider_fee_returned')
        then provider is not null and wallet is not null and asset is null and tokens_minor is null
      when kind in ('bank_funded', 'bank_withdrawn')
        then provider is null and wallet is null and asset is null and tokens_minor is null
      when kind in ('stablecoin_sold', 'stablecoin_bought')
        then provider is null and wallet is null and asset is not null and tokens_minor > 0
      else false
    end is true),
  constraint float_movements_amount_check check (amount_minor > 0),
  constraint float_movements_two_people_check check (approved_by is null or lower(approved_by) <> lower(proposed_by)),
  constraint float_movements_approved_check check (
    (approved_by is null) = (approved_at is null) and (approved_at is null or withdrawn_at is null)),
  constraint float_movements_withdrawn_check check (
    (withdrawn_at is null) = (withdrawn_by is null) and (withdrawn_at is null) = (withdrawn_why is null))
);
create index float_movements_open_idx on float_movements (id) where approved_at is null and withdrawn_at is null;

create table freezes (
  id         bigint generated always as identity constraint freezes_pk primary key,
  partner_id integer not null,
  reason     text not null,
  frozen_by  text not null,
  frozen_at  timestamptz not null,
  lifted_by  text,
  lifted_at  timestamptz,
  lifted_why text,
  constraint freezes_lifted_check check ((lifted_at is null) = (lifted_by is null) and (lifted_at is null) = (lifted_why is null))
);
create unique index freezes_standing_key on freezes (partner_id) where lifted_at is null;

-- From gateway; the higher sequence counts.
create table partner_statuses (
  partner_id integer constraint partner_statuses_pk primary key,
  status     text not null,
  sequence   integer not null,
  told_at    timestamptz not null,
  constraint partner_statuses_status_check check (status in ('active', 'suspended'))
);
create index partner_statuses_suspended_idx on partner_statuses (partner_id) where status = 'suspended';
