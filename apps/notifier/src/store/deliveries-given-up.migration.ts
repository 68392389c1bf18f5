import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Webhooks that were given up are found without reading all that were not. */
export class DeliveriesGivenUp1764100000000 implements MigrationInterface {
  public readonly name = 'DeliveriesGivenUp1764100000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      "create index deliveries_given_up_idx on deliveries (settled_at, transaction_id, sequence) where state = 'exhausted'",
    );
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index deliveries_given_up_idx');
  }
}
