import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Since when payments lets a refund be signed. */
export class RefundGrants1768000000200 implements MigrationInterface {
  public readonly name = 'RefundGrants1768000000200';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table refunds add column granted_at timestamptz');
  }

  public async down(): Promise<void> {
    throw new Error('Grants are what signatures go by: there is no way down');
  }
}
