import type { MigrationInterface, QueryRunner } from '@vuka/persistence';

/** Ways to read a partner's transactions and a wallet's entries newest first, a page at a time. */
export class Lists1763900000000 implements MigrationInterface {
  public readonly name = 'Lists1763900000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(listsSql);
  }

  public async down(runner: QueryRunner): Promise<void> {
    await runner.query(withoutListsSql);
  }
}

const listsSql = `
-- Not by state or currency: an update of a state must stay one of the row alone.
create index transactions_partner_idx on transactions (partner_id, created_at desc, id desc);

-- In place of those without the amount: a balance of long ago is summed from the index alone.
create index entries_out_idx on entries (from_account, posting_id, leg_no) include (at, amount_minor);
create index entries_in_idx on entries (to_account, posting_id, leg_no) include (at, amount_minor);
drop index entries_from_idx;
drop index entries_to_idx;
`;

const withoutListsSql = `
create index entries_from_idx on entries (from_account, posting_id);
create index entries_to_idx on entries (to_account, posting_id);
drop index entries_in_idx;
drop index entries_out_idx;
drop index transactions_partner_idx;
`;
