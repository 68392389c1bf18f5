import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Refunds are told as well: of a transaction, or of an order. */
export class RefundDeliveries1768000005100 implements MigrationInterface {
  public readonly name = 'RefundDeliveries1768000005100';

  public async up(runner: QueryRunner): Promise<void> {
    // Null in rows of releases before this one: there the event's name says it.
    await runner.query('alter table deliveries add column is_order boolean');
  }

  public async down(): Promise<void> {
    throw new Error('Deliveries are the record of what partners were told: notifier has no way down from it');
  }
}
