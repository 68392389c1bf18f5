import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Refunds that are to end, of which a signer outside may have sent a transfer: they end when that is proven dead. */
export class RefundEndings1768000007000 implements MigrationInterface {
  public readonly name = 'RefundEndings1768000007000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(sql);
  }

  public async down(): Promise<void> {
    throw new Error('That a refund is given up stays on the record: there is no way down');
  }
}

const sql = `
alter table refunds
  -- The reason with which it fails once what a signer was shown is proven dead, and since when it waits for that. Null: it is to go out.
  add column ends_as text,
  add column ends_since timestamptz,
  add constraint refunds_ends_check check ((ends_as is null) = (ends_since is null));
-- What another refund has done with a place.
create index refund_transfers_place_idx on refund_transfers (chain, wallet, place) where place is not null and state in ('signed', 'final', 'failed');
`;
