import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/**
 * What payouts need that do not go straight: looks at attempts that have ended, payments made twice, incidents that people
 * resolve, settlements by two people, and how far each rail's statement was read.
 */
export class PayoutTroubles1763800000000 implements MigrationInterface {
  public readonly name = 'PayoutTroubles1763800000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(attemptsSql);
    await runner.query(troublesSql);
  }

  public async down(): Promise<void> {
    throw new Error('What went wrong with payouts is not forgotten: there is no way down');
  }
}

const attemptsSql = `
alter table attempts
  -- Until when an attempt that has ended is looked at again; null: it has not ended, or ended before this was kept.
  add column late_until timestamptz,
  -- The rail's answer that ended it: a deferral leaves the rail open for another try, a refusal does not.
  add column ended_by   text,
  -- The claim under which the rail's statement spoke of it: what that claim hears may be older than the line.
  add column hinted_fence integer;
drop index attempts_submit_idx;
drop index attempts_poll_idx;
-- By rail: each has its own room, so that a slow one holds up no other.
create index attempts_submit_idx on attempts (rail, next_at) where state in ('INTENT', 'SENDING') and next_at is not null;
create index attempts_poll_idx on attempts (rail, next_at) where state in ('PENDING', 'UNKNOWN') and next_at is not null;
create index attempts_watch_idx on attempts (rail, next_at) where state in ('PAID', 'NOT_PAID') and next_at is not null;

-- The attempt whose payment P5 stands for; null: none yet, or the one it was at when only the newest could pay.
alter table transactions add column paid_attempt_no smallint;

alter table destinations add column mobile_network text not null default '';
`;

const troublesSql = `
-- Payments that were not expected: after FAILED, or a second time. One row per receipt; P9 stands until unwound.
create table paid_again (
  transaction_id bigint not null,
  attempt_no     smallint not null,
  receipt_number text not null,
  rail           text not null,
  amount_minor   numeric(38,0) not null,
  -- The partner has its money back and owes this (receivable); else it is ours to settle with the rail (suspense).
  owed           boolean not null,
  posted_at      timestamptz not null,
  unwound_at     timestamptz,
  -- A receipt is one rail's word: another attempt's may read the same.
  constraint paid_again_pk primary key (transaction_id, attempt_no, receipt_number),
  constraint paid_again_amount_check check (amount_minor > 0)
);
create index paid_again_standing_idx on paid_again (posted_at) where unwound_at is null;

alter table incidents
  -- How often the same has been seen while nobody had resolved it.
  add column times       integer not null default 1,
  add column last_at     timestamptz,
  add column resolved_at timestamptz,
  add column resolved_by text,
  add column resolution  text,
  add constraint incidents_resolved_check check ((resolved_at is null) = (resolved_by is null) and (resolved_at is null) = (resolution is null));
create index incidents_open_idx on incidents (at) where resolved_at is null;

-- What people say became of an attempt that its rail leaves open: one proposes on evidence, another one approves.
create table settlements (
  id             bigint generated always as identity constraint settlements_pk primary key,
  transaction_id bigint not null,
  attempt_no     smallint not null,
  outcome        text not null,
  receipt_number text,
  -- What the rail really paid, where that is not what it was told to.
  paid_minor     numeric(38,0),
  evidence       text not null,
  proposed_by    text not null,
  proposed_at    timestamptz not null,
  approved_by    text,
  approved_at    timestamptz,
  withdrawn_at   timestamptz,
  constraint settlements_outcome_check check (outcome in ('paid', 'not_paid') and (outcome = 'paid') = (receipt_number is not null) and (paid_minor is null or (outcome = 'paid' and paid_minor > 0))),
  constraint settlements_two_people_check check (approved_by is null or lower(approved_by) <> lower(proposed_by)),
  constraint settlements_approved_check check ((approved_by is null) = (approved_at is null) and (approved_at is null or withdrawn_at is null))
);
create unique index settlements_open_key on settlements (transaction_id) where approved_at is null and withdrawn_at is null;

create table rail_statements (
  rail    text constraint rail_statements_pk primary key,
  -- The rail's own: where the next page begins.
  cursor  text not null,
  read_at timestamptz not null
);

create index accounts_due_idx on accounts (partner_id, asset) where kind = 'receivable' and balance_minor < 0;
`;
