import { actsMigrationSql, type MigrationInterface, type QueryRunner } from '@vuka/persistence';

/** What people had done to checkout's own things: dead letters that are read again. */
export class CheckoutActs1767000004000 implements MigrationInterface {
  public readonly name = 'CheckoutActs1767000004000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(actsMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Acts are a record: checkout has no way down from it');
  }
}
