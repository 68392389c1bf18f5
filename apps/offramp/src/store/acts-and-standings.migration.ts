import { actsMigrationSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/** What gateway says of partners, and the record of people's acts. */
export class ActsAndStandings1767000003000 implements MigrationInterface {
  public readonly name = 'ActsAndStandings1767000003000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
    await runner.query(actsMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('What people have done stays on the record: there is no way down');
  }
}

const sql = `
-- What gateway has told of a partner: of two, the higher sequence holds.
create table partner_statuses (
  partner_id integer constraint partner_statuses_pk primary key,
  status     text not null,
  sequence   integer not null,
  told_at    timestamptz not null,
  constraint partner_statuses_status_check check (status in ('active', 'suspended'))
);
`;
