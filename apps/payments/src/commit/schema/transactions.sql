
create sequence transaction_id_blocks;

create table transactions (
  id                bigint constraint transactions_pk primary key,
  partner_id        integer not null,
  transaction_code  text not null,
  operation         text not null,
  currency          text not null,
  amount_minor      numeric(38,0) not null,
  fee_minor         numeric(38,0) not null,
  service_fee_minor numeric(38,0) not null,
  -- As gateway sealed it: host and path are readable.
  callback_url      text,
  request_id        text not null,
  traceparent       text not null,
  state             text not null,
  sequence          integer not null,
  public_sequence   integer not null,
  attempt_no        smallint not null,
  paid_attempt_no   smallint,
  -- Tells a resend from a commit that came too late.
  last_commit_id      uuid not null,
  message           text not null,
  failure_code      text,
  receipt_number    text,
  -- Sealed by WebhookCipher, for its transaction.
  public_name       text,
  -- Null while an attempt is open.
  due_at            timestamptz,
  park_deadline     timestamptz,
  created_at        timestamptz not null,
  updated_at        timestamptz not null,
  constraint transactions_amount_check check (amount_minor > 0 and fee_minor >= 0 and fee_minor < amount_minor and service_fee_minor >= 0),
  constraint transactions_sequence_check check (sequence >= 1 and public_sequence >= 0 and attempt_no >= 0)
) with (fillfactor = 60);
create index transactions_due_idx on transactions (due_at) where due_at is not null;
-- Without state and currency: updates of the state must not touch it.
create index transactions_partner_idx on transactions (partner_id, created_at desc, id desc);
create index transactions_waiting_idx on transactions (partner_id) where state in ('AWAITING_FUNDS', 'CONFIRMING');

-- Unique for ever, so not partitioned.
create table transaction_keys (
  partner_id     integer not null,
  reference      text not null,
  transaction_id bigint not null,
  -- Keyed by gateway: this database alone cannot try numbers.
  fingerprint    text not null,
  constraint transaction_keys_pk primary key (partner_id, reference)
);

-- One data key for each partner, month and cipher key, sealed by the cipher. Without it, what it has sealed is erased.
create table recipient_keys (
  id         bigint generated always as identity constraint recipient_keys_pk primary key,
  partner_id integer not null,
  -- Its first day, in UTC.
  month      date not null,
  -- Id of the cipher key in force when it was made.
  made_under text not null,
  sealed_key text not null,
  made_at    timestamptz not null,
  -- The key is gone, and with it what it has sealed.
  erased_at  timestamptz,
  -- Indexes, names and queries of URLs of its transactions are gone, too.
  cleared_at timestamptz,
  constraint recipient_keys_month_key unique (partner_id, month, made_under),
  constraint recipient_keys_erased_check check ((erased_at is null) = (sealed_key <> '') and (cleared_at is null or erased_at is not null))
);

create index recipient_keys_due_idx on recipient_keys (month, id) where erased_at is null;
create index recipient_keys_uncleared_idx on recipient_keys (id) where erased_at is not null and cleared_at is null;

-- Numbers sealed with AES-256-GCM; the keyed blind index finds equal ones.
create table destinations (
  transaction_id bigint constraint destinations_pk primary key,
  kind           text not null,
  bank_code      text not null,
  bank_name      text not null,
  mobile_network text not null default '',
  -- In recipient_keys. Null: an order's credit, which pays nobody.
  key_id         bigint,
  sealed         text not null,
  -- '': erased.
  blind_index    text not null
);
create index destinations_blind_idx on destinations (blind_index);

create table transitions (
  transaction_id bigint not null,
  sequence       integer not null,
  from_state     text,
  to_state       text not null,
  event          text not null,
  attempt_no     smallint not null,
  detail         text not null,
  at             timestamptz not null,
  constraint transitions_pk primary key (transaction_id, sequence, at)
) partition by range (at);
create table transitions_default partition of transitions default;

create table holds (
  transaction_id bigint constraint holds_pk primary key,
  partner_id     integer not null,
  asset          text not null,
  amount_minor   numeric(38,0) not null,
  state          text not null,
  opened_at      timestamptz not null,
  closed_at      timestamptz,
  constraint holds_amount_check check (amount_minor > 0),
  constraint holds_state_check check (state in ('open', 'posted', 'voided') and (state = 'open') = (closed_at is null))
) with (fillfactor = 70);
create index holds_open_idx on holds (partner_id, asset) where state = 'open';

create table attempts (
  transaction_id  bigint not null,
  attempt_no      smallint not null,
  -- Our id there, committed before the call. Never reused.
  provider_reference  uuid not null constraint attempts_provider_reference_key unique,
  provider            text not null,
  -- The provider's wallet that pays, chosen when the attempt was made: every posting of it is on that float.
  wallet          text not null,
  state           text not null,
  amount_minor    numeric(38,0) not null,
  polls           integer not null default 0,
  next_at         timestamptz,
  lease_until     timestamptz,
  fence           integer not null default 0,
  -- The provider's statement named it during this claim, whose answer may be older.
  hinted_fence    integer,
  -- A callback last made it due then.
  called_back_at  timestamptz,
  -- A provider that answers by callback was asked then, and has not answered since.
  asked_at        timestamptz,
  -- The provider's promise to deduplicate counts from here.
  first_sent_at   timestamptz,
  -- No call that pays left later.
  sent_until      timestamptz,
  -- The provider has our id: never send again.
  acknowledged_at timestamptz,
  -- The provider's own id of it. Written once.
  provider_payment_id text,
  receipt_number  text,
  provider_detail     text not null default '',
  ended_by        text,
  -- When it first ended.
  ended_at        timestamptz,
  -- Polled until then, though ended.
  late_until      timestamptz,
  -- Two people agreed: not claimed for a call that may pay.
  settlement_id   bigint,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  constraint attempts_pk primary key (transaction_id, attempt_no),
  constraint attempts_state_check check (state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN', 'PAID', 'NOT_PAID')),
  constraint attempts_amount_check check (amount_minor > 0)
) with (fillfactor = 60);
-- A second open attempt would be a second payout.
create unique index attempts_open_key on attempts (transaction_id) where state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN');
create index attempts_submit_idx on attempts (provider, next_at) where state in ('INTENT', 'SENDING') and next_at is not null;
create index attempts_poll_idx on attempts (provider, next_at) where state in ('PENDING', 'UNKNOWN') and next_at is not null;
create index attempts_watch_idx on attempts (provider, next_at) where state in ('PAID', 'NOT_PAID') and next_at is not null;

create table settlements (
  id              bigint generated always as identity constraint settlements_pk primary key,
  transaction_id  bigint not null,
  attempt_no      smallint not null,
  -- `cleared`: screening stopped it; it may go on.
  outcome         text not null,
  receipt_number  text,
  paid_minor      numeric(38,0),
  evidence        text not null,
  proposed_by     text not null,
  proposed_at     timestamptz not null,
  -- May come before the commit that carries it out.
  agreed_by       text,
  agreed_at       timestamptz,
  -- If the state has changed since, the agreement does not hold.
  agreed_state    text,
  -- Later answers have a higher sequence.
  agreed_sequence integer,
  approved_by     text,
  approved_at     timestamptz,
  withdrawn_by    text,
  withdrawn_at    timestamptz,
  withdrawn_why   text,
  -- Sets withdrawn_at too: the settlement is closed.
  superseded_why  text,
  constraint settlements_outcome_check check (
    outcome in ('paid', 'not_paid', 'cleared') and (outcome = 'paid') = (receipt_number is not null)
    and (paid_minor is null or (outcome = 'paid' and paid_minor > 0))),
  constraint settlements_two_people_check check (approved_by is null or lower(approved_by) <> lower(proposed_by)),
  constraint settlements_approved_check check (
    (approved_by is null) = (approved_at is null) and (approved_at is null or withdrawn_at is null)),
  constraint settlements_agreed_check check (
    (agreed_by is null) = (agreed_at is null) and (agreed_by is null) = (agreed_state is null)
    and (agreed_by is null) = (agreed_sequence is null) and (agreed_by is null or lower(agreed_by) <> lower(proposed_by)))
);
create unique index settlements_open_key on settlements (transaction_id) where approved_at is null and withdrawn_at is null;

-- An unexpected payment: after FAILED, or a second one.
create table duplicate_payment (
  transaction_id bigint not null,
  attempt_no     smallint not null,
  receipt_number text not null,
  provider           text not null,
  wallet         text not null,
  amount_minor   numeric(38,0) not null,
  -- True: the partner owes it (receivable). False: ours to settle (suspense).
  owed           boolean not null,
  posted_at      timestamptz not null,
  unwound_at     timestamptz,
  -- Unique only at its provider.
  constraint duplicate_payment_pk primary key (transaction_id, attempt_no, receipt_number),
  constraint duplicate_payment_amount_check check (amount_minor > 0)
);
create index duplicate_payment_standing_idx on duplicate_payment (posted_at) where unwound_at is null;

-- Must not happen and did. Changes no public state.
create table incidents (
  id             bigint generated always as identity constraint incidents_pk primary key,
  transaction_id bigint not null,
  attempt_no     smallint not null,
  state          text not null,
  event          text not null,
  detail         text not null,
  at             timestamptz not null,
  times          integer not null default 1,
  last_at        timestamptz,
  resolved_at    timestamptz,
  resolved_by    text,
  resolution     text,
  constraint incidents_resolved_check check ((resolved_at is null) = (resolved_by is null) and (resolved_at is null) = (resolution is null))
);
create index incidents_transaction_idx on incidents (transaction_id);
create index incidents_open_idx on incidents (at) where resolved_at is null;
-- Freezes the partner; each payout asks first.
create index incidents_vanished_idx on incidents (transaction_id) where event = 'deposit.reverted' and resolved_at is null;
create index incidents_paid_idx on incidents (transaction_id) where event = 'succeeded' and resolved_at is null;

create table provider_statements (
  provider    text constraint provider_statements_pk primary key,
  -- In the provider's form: where the next page begins.
  cursor  text not null,
  read_at timestamptz not null
);
