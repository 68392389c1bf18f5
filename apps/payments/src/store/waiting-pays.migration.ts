import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** How many pays of a partner wait for their deposits is counted before each new one. */
export class WaitingPays1765000001200 implements MigrationInterface {
  public readonly name = 'WaitingPays1765000001200';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create index transactions_waiting_idx on transactions (partner_id) where state in ('AWAITING_FUNDS', 'CONFIRMING')`);
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index transactions_waiting_idx');
  }
}
