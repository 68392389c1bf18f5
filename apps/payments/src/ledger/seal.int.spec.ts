import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  checkChain,
  readSealedBlocks,
  SealArchive,
  sealHeads,
  sealRecords,
  type CheckedChain,
  type Database,
  type KeptBlock,
} from '@vuka/persistence';
import { TestPostgres, type TestDatabase } from '@vuka/persistence/test-postgres';

import { paymentsMigrations, SEALED_CHAINS } from '../commit/migrations.js';

const AT = '2026-11-05T10:00:00.123456Z';
/** All that a rewriting owner does besides changing a row: this block and every later one anew, in the same sizes. */
const resealFrom = (block: number): string => `
  alter table seal_blocks disable trigger blocks_are_kept;
  create temp table sizes as select number, row_count from seal_blocks where chain = 'ledger' and number >= ${block};
  delete from seal_blocks where chain = 'ledger' and number >= ${block};
  do $$ declare s record; begin
    for s in select * from sizes order by number loop perform seal_next('ledger', s.row_count); end loop;
  end $$;
  alter table seal_blocks enable trigger blocks_are_kept`;

let server: TestPostgres;
let database: TestDatabase;
let db: Database;
let admin: Database;

// pg_snapshot_xmin waits for the transactions of all databases.
beforeAll(async () => {
  server = await TestPostgres.start({ alone: true });
}, 60_000);
afterAll(() => server.stop(), 30_000);

beforeEach(async () => {
  database = await server.database([{ name: 'payments', migrations: paymentsMigrations, asDeployed: true }]);
  db = await database.connect();
  admin = await database.connectAsAdmin();
  await db.query(`insert into accounts (name, kind, partner_id, asset, balance_minor, created_at)
    values ('bank:KES', 'bank', null, 'KES', null, now()), ('rail:s:main:KES', 'rail', null, 'KES', null, now())`);
}, 60_000);
afterEach(() => database.stop(), 30_000);

/** As commit_batch writes them. */
const post = (on: Pick<Database, 'query'>, first: number, count = 1): Promise<unknown> =>
  on.query(
    `with made as (insert into postings (reference, kind, transaction_id, at)
       select 'payout-held:' || n, 'payout_held', n, $3 from generate_series($1::bigint, $1 + $2 - 1) n order by n returning id)
     insert into entries select id, leg, 1, 2, 'KES', 100 * leg, $3 from made, generate_series(1, 2) leg`,
    [first, count, AT],
  );

async function sealed(...counts: number[]): Promise<void> {
  let first = 1;
  for (const count of counts) {
    await post(admin, first, count);
    first += count;
    await sealRecords(db);
  }
}

const ledger = SEALED_CHAINS.find(({ name }) => name === 'ledger')!;

const check = (
  kept: ReadonlyMap<number, KeptBlock> = new Map(),
  archive: SealArchive | null = null,
): Promise<CheckedChain> => checkChain((wanted) => readSealedBlocks(db, ledger, wanted), kept, archive);

async function keep(): Promise<Map<number, KeptBlock>> {
  const { fresh } = await check();
  return new Map(fresh.map(({ number, epoch, hash }) => [number, { epoch, hash }]));
}

const told = ({ faults }: CheckedChain): [number, string][] => faults.map(({ block, what }) => [block, what]);

describe('the seal', () => {
  it('goes on from block to block, and holds as long as nothing is changed', async () => {
    await sealed(3, 2, 4);
    const { head, rows, faults, fresh } = await check(await keep());
    expect([head?.number, head?.epoch, rows, faults, fresh]).toEqual([3, 1, 9, [], []]);
    expect(await sealRecords(db)).toEqual([
      expect.objectContaining({ chain: 'accounts', number: 1 }),
      expect.objectContaining({ chain: 'ledger', number: 3, hash: head?.hash }),
    ]);
  });

  it('is the same however a block is computed: by the database, and by this process', async () => {
    await post(admin, 1, 7);
    await db.query("select * from seal_next('ledger', 3)");
    await db.query("select * from seal_next('ledger', 3)");
    await db.query("select * from seal_next('ledger', 3)");
    const { head, faults } = await check();
    expect([head?.number, head?.rows, faults]).toEqual([3, 1, []]);
  });

  it('does not pass over a row that commits late', async () => {
    const open = await database.connectAsAdmin();
    await open.inTransaction(async (tx) => {
      await post(tx, 1);
      await post(admin, 2, 3);
      await sealRecords(db);
      expect(await sealHeads(db)).toEqual([expect.objectContaining({ chain: 'accounts' })]);
    });
    await sealRecords(db);
    expect(await check()).toMatchObject({ rows: 4, faults: [] });
  });

  it('seals once, however many processes seal', async () => {
    await post(admin, 1, 50);
    const others = await Promise.all([1, 2, 3].map(() => database.connect()));
    await Promise.all([db, ...others].map((each) => sealRecords(each)));
    await sealRecords(db);
    expect(await check()).toMatchObject({ rows: 50, faults: [] });
  });

  it.each<[string, string, string, number?]>([
    ['changes an entry', 'update entries set amount_minor = 1 where posting_id = 4 and leg_no = 1', 'rows'],
    ['takes a leg away', 'delete from entries where posting_id = 4 and leg_no = 2', 'rows'],
    ['takes all legs away', 'delete from entries where posting_id = 4', 'legs'],
    ['adds a leg', `insert into entries values (4, 3, 2, 1, 'KES', 5, '${AT}')`, 'rows'],
    ['changes a posting', "update postings set kind = 'payout_settled' where id = 4", 'rows'],
    [
      'puts a posting in before',
      // After the last of its transaction, where block 2 ends.
      "insert into postings (reference, kind, at, xid) select 'x', 'y', now(), xid from postings where id = 4",
      'legs',
      3,
    ],
    ['removes a posting', 'delete from postings where id = 4', 'rows'],
  ])('shows the block where somebody %s', async (_, change, what, block = 2) => {
    await sealed(3, 2, 4);
    await admin.query(change);
    expect(told(await check())).toEqual([[block, expect.stringContaining(what)]]);
  });

  it('shows a block that was removed or changed', async () => {
    await sealed(3, 2, 4);
    await admin.query('alter table seal_blocks disable trigger blocks_are_kept');
    await admin.query(
      "update seal_blocks set sealed_at = sealed_at + interval '1 second' where chain = 'ledger' and number = 3",
    );
    expect(told(await check())).toEqual([[3, expect.stringContaining('not that of its content')]]);
    await admin.query("delete from seal_blocks where chain = 'ledger' and number = 2");
    expect(told(await check())).toEqual([[3, expect.stringContaining('does not continue')]]);
  });

  it('shows what an account was renamed to', async () => {
    await sealRecords(db);
    await admin.query("update accounts set name = 'bank:NGN' where id = 1");
    const accounts = SEALED_CHAINS.find(({ name }) => name === 'accounts')!;
    expect(told(await checkChain((wanted) => readSealedBlocks(db, accounts, wanted), new Map()))).toEqual([
      [1, expect.stringContaining('rows')],
    ]);
  });
});

describe('the owner of the database, who rewrites an entry and every block after it', () => {
  it('leaves a chain that holds by itself, and is found out by the head kept outside, with the block', async () => {
    await sealed(3, 2, 4);
    const kept = await keep();
    await admin.query('update entries set amount_minor = 1 where posting_id = 4 and leg_no = 1');
    await admin.query(resealFrom(2));
    expect(told(await check())).toEqual([]);
    expect(told(await check(kept))).toEqual([[2, 'it is not the block that the file knows']]);
  });

  it('is found out where the end was cut off', async () => {
    await sealed(3, 2, 4);
    const kept = await keep();
    await admin.query('alter table seal_blocks disable trigger blocks_are_kept');
    await admin.query("delete from seal_blocks where chain = 'ledger' and number = 3");
    expect(told(await check(kept))).toEqual([[3, 'the file knows it, and the chain ends with block 2']]);
  });
});

describe('a restore', () => {
  it('begins a new epoch after a block that the file knows, and is told as such', async () => {
    await sealed(3, 2, 4);
    const kept = await keep();
    // What a restore to the moment after block 2 leaves.
    await admin.query('alter table seal_blocks disable trigger blocks_are_kept');
    await admin.query("delete from seal_blocks where chain = 'ledger' and number = 3");
    await admin.query('delete from entries where posting_id > 5; delete from postings where id > 5');
    await admin.query("select begin_seal_epoch('restore, ticket 120')");
    await post(admin, 20, 2);
    await sealRecords(db);
    expect(told(await check(kept))).toEqual([[3, expect.stringContaining('epoch 2 begins after block 2')]]);
    expect(await check(await keep())).toMatchObject({ faults: [], head: { number: 3, epoch: 2 } });
  });

  it('into another cluster is refused: its transactions are behind the chain', async () => {
    await sealed(3);
    await admin.query('alter table seal_blocks disable trigger blocks_are_kept');
    await admin.query("update seal_blocks set to_xid = 4000000000 where chain = 'ledger'");
    await expect(sealRecords(db)).rejects.toThrow('ahead of this cluster');
  });
});

describe('a partition that was dropped', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vuka-seal-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is verified by its export, and missed without it', async () => {
    await db.query("select make_partition('entries', '2026-11-01')");
    await sealed(3, 2);
    await admin.query("update postings set reference = E'with a \\\\ in it' where id = 1");
    await admin.query(resealFrom(1));
    const kept = await keep();
    const rows = await admin.query<{ text: string }>(
      "select concat_ws(e'\\t', xid, id, replace(line, '\\', '\\\\')) as text from sealed_ledger order by xid, id",
    );
    const file = join(folder, 'entries.tsv');
    await writeFile(file, rows.map(({ text }) => `${text}\n`).join(''));
    const changed = (minor: number): Promise<unknown> =>
      admin.query('update entries set amount_minor = $1 where posting_id = 4 and leg_no = 1', [minor]);
    await changed(101);
    expect(told(await check(kept, await SealArchive.read([file])))).toEqual([
      [2, expect.stringContaining('not those that were sealed')],
    ]);
    await changed(100);
    await admin.query('drop table entries_y2026m11');
    expect(told(await check(kept))).toEqual([
      [1, expect.stringContaining('--archive')],
      [2, expect.stringContaining('--archive')],
    ]);
    expect(await check(kept, await SealArchive.read([file]))).toMatchObject({ faults: [], rows: 5 });
    await writeFile(file, rows.map(({ text }) => `${text.replace('100]', '101]')}\n`).join(''));
    expect((await check(kept, await SealArchive.read([file]))).faults).toHaveLength(2);
  });
});

describe("the service's login", () => {
  it.each([
    'update entries set amount_minor = 1',
    'update entries_default set amount_minor = 1',
    'delete from entries',
    'truncate entries',
    `insert into entries values (1, 9, 1, 2, 'KES', 1, now())`,
    'drop table entries',
    'update postings set kind = kind',
    'delete from postings',
    'truncate postings',
    "insert into postings (reference, kind, at) values ('x', 'y', now())",
    'update accounts set balance_minor = 1',
    'delete from accounts',
    'update transitions set detail = detail',
    'delete from holds',
    'update audit_entries set reason = reason',
    'delete from audit_entries',
    'truncate audit_entries',
    `insert into audit_entries (at, by_whom, act, subject, reason, details, xid) values (now(), 'a', 'b', 'c', 'd', '{}', 1)`,
    'update seal_blocks set epoch = 2',
    'delete from seal_blocks',
    'truncate seal_blocks',
    'insert into seal_blocks select * from seal_blocks',
    'alter table entries disable trigger all',
    `select write_postings(now(), '{ok}', '[{"n": 0, "reference": "x", "kind": "y"}]', '[]', '{}', '{}')`,
    "select begin_seal_epoch('x')",
    'create table mine ()',
    'create temp table postings ()',
    'set role vuka_payments_owner',
    `select vuka_owners.hand_over('{"entries": "all"}')`,
    'drop schema payments cascade',
  ])('cannot: %s', async (statement) => {
    await sealed(1);
    await expect(db.query(statement)).rejects.toThrow(/permission denied|must be owner|owns no schema/);
  });

  it('owns nothing', async () => {
    expect(
      await admin.query(
        `select c.relname from pg_class c where c.relowner = 'vuka_payments'::regrole
         union all select p.proname from pg_proc p where p.proowner = 'vuka_payments'::regrole
         union all select n.nspname from pg_namespace n where n.nspowner = 'vuka_payments'::regrole`,
      ),
    ).toEqual([]);
  });
});
