import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Whose claims are due: looks are shared out among partners, and one who claims a million hashes keeps nobody else waiting. */
export class ClaimsByPartner1764300000000 implements MigrationInterface {
  public readonly name = 'ClaimsByPartner1764300000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query('create index claims_partner_due_idx on claims (chain, partner_id, next_look_at, transaction_id) where next_look_at is not null');
  }

  public async down(): Promise<void> {
    throw new Error('Claims are the record of what was asked for: there is no way down');
  }
}
