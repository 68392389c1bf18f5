import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Where refunds are told that have no transaction with a URL of its own. */
export class RefundUrls1768000005000 implements MigrationInterface {
  public readonly name = 'RefundUrls1768000005000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('Partners are told of refunds that are under way: there is no way down');
  }
}

const sql = `
-- The partner's default webhook when a refund was asked for: of an order, or of a transaction without a URL. Written before its refund.
create table refund_urls (
  refund_id    bigint constraint refund_urls_pk primary key,
  callback_url text not null,
  created_at   timestamptz not null
);
`;
