import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Finds refunds that have not ended, and partners that were both paid for and sent back. Built beside those who write. */
export class RefundGrantIndexes1768000000100 implements MigrationInterface {
  public readonly name = 'RefundGrantIndexes1768000000100';
  public readonly transaction = false;

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists refunds_unended_idx');
    await runner.query(`create index concurrently refunds_unended_idx on refunds (created_at, refund_id) where state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST')`);
    await runner.query('drop index concurrently if exists refunds_held_idx');
    await runner.query(`create index concurrently refunds_held_idx on refunds (created_at, refund_id) where state = 'HELD'`);
    await runner.query('drop index concurrently if exists incidents_paid_idx');
    await runner.query(`create index concurrently incidents_paid_idx on incidents (transaction_id) where event = 'succeeded' and resolved_at is null`);
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index concurrently if exists incidents_paid_idx');
    await runner.query('drop index concurrently if exists refunds_held_idx');
    await runner.query('drop index concurrently if exists refunds_unended_idx');
  }
}
