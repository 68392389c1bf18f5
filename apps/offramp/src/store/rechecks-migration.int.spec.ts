import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database } from '@vuka/persistence';
import { borrowDatabase, type TestDatabase } from '@vuka/persistence/test-postgres';

import { OFFRAMP_MIGRATIONS } from './migrations.js';
import { Rechecks1765000000100 } from './rechecks.migration.js';

const before = OFFRAMP_MIGRATIONS.slice(0, OFFRAMP_MIGRATIONS.indexOf(Rechecks1765000000100));
let database: TestDatabase;

beforeAll(async () => {
  database = await borrowDatabase([{ name: 'offramp' }], { lookupsOnly: true });
}, 60_000);
afterAll(() => database.stop());

async function migrated(migrations: typeof OFFRAMP_MIGRATIONS): Promise<Database> {
  const db = await database.connect({ migrations });
  await db.migrate();
  return db;
}

describe('deposits of a release before', () => {
  it('stay where they are older than any chain takes to finalise, however long ago the newest of them came', async () => {
    const old = await migrated(before);
    for (const [id, days] of [[1, 40], [2, 8]] as const) {
      await old.query(
        `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, next_look_at, judged_at, correlation_id, causation_id, created_at)
         values ($1, 1, 'CELO', $1::bigint::text, 'KES', 1, now(), now(), 'verified', null, now(), 'c', 'c', now())`,
        [id],
      );
      await old.query(
        `insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate, block_number, block_hash, block_time, rule_version, evidence, created_at)
         values ('CELO', $1::bigint::text, 'a', 'USDC@CELO', 't', 6, 1, 1, $1, 'consumed', false, '1', 1, 'b', now(), 1, '{}', now() - make_interval(days => $2))`,
        [id, days],
      );
    }
    const db = await migrated(OFFRAMP_MIGRATIONS);
    expect(await db.query('select claim_id::integer as claim, finalized_at is not null as final, recheck_at is not null as due from deposits order by id')).toEqual([{ claim: 1, final: true, due: false }, { claim: 2, final: true, due: false }]);
  });
});
