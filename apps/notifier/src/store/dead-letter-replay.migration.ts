import { deadLetterReplayMigrationSql } from '@vuka/messaging';
import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Dead letters can be asked for again. */
export class DeadLetterReplay1764000000000 implements MigrationInterface {
  public readonly name = 'DeadLetterReplay1764000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(deadLetterReplayMigrationSql());
  }

  public async down(): Promise<void> {
    throw new Error('Who asked for which dead letter is a record: notifier has no way down from it');
  }
}
