import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** GRANTED: a refund that may be signed. HELD is what waits for that. */
export class RefundGrants1768000000000 implements MigrationInterface {
  public readonly name = 'RefundGrants1768000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Grants are what signatures go by: there is no way down');
  }
}

const sql = `
alter table refunds
  drop constraint refunds_state_check,
  add constraint refunds_state_check check (state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST', 'CONFIRMED', 'FAILED')) not valid;
alter table refunds validate constraint refunds_state_check;
`;
