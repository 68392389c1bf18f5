import { actsMigrationSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/** What people do to partners' wallets and payouts, what gateway says of partners, and the record of people's acts. */
export class HandsOfPeople1767000002000 implements MigrationInterface {
  public readonly name = 'HandsOfPeople1767000002000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
    await runner.query(actsMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('What people have done stays on the record: there is no way down');
  }
}

const sql = `
-- Money that people give to a wallet or take from it (P0b, P0b_debit under p0b:<id>): one proposes, another one approves.
create table adjustments (
  id             bigint generated always as identity constraint adjustments_pk primary key,
  partner_id     integer not null,
  currency       text not null,
  direction      text not null,
  amount_minor   numeric(38,0) not null,
  reason         text not null,
  proposed_by    text not null,
  proposed_at    timestamptz not null,
  approved_by    text,
  approved_at    timestamptz,
  withdrawn_by   text,
  withdrawn_at   timestamptz,
  withdrawn_why  text,
  constraint adjustments_direction_check check (direction in ('fund', 'debit')),
  constraint adjustments_amount_check check (amount_minor > 0),
  constraint adjustments_two_people_check check (approved_by is null or lower(approved_by) <> lower(proposed_by)),
  constraint adjustments_approved_check check ((approved_by is null) = (approved_at is null) and (approved_at is null or withdrawn_at is null)),
  constraint adjustments_withdrawn_check check ((withdrawn_at is null) = (withdrawn_by is null) and (withdrawn_at is null) = (withdrawn_why is null))
);
create index adjustments_partner_idx on adjustments (partner_id, id);
create index adjustments_open_idx on adjustments (id) where approved_at is null and withdrawn_at is null;

-- A partner whose payouts people have stopped. One stands at a time; those that were lifted stay on the record.
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

-- What gateway has told of a partner: of two, the higher sequence holds.
create table partner_statuses (
  partner_id integer constraint partner_statuses_pk primary key,
  status     text not null,
  sequence   integer not null,
  told_at    timestamptz not null,
  constraint partner_statuses_status_check check (status in ('active', 'suspended'))
);
create index partner_statuses_suspended_idx on partner_statuses (partner_id) where status = 'suspended';

alter table settlements
  -- Null in what was withdrawn before this was asked.
  add column withdrawn_by  text,
  add column withdrawn_why text;
`;
