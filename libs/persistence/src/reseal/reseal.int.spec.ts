import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Cipher, sealQuery, systemClock } from '@vuka/runtime';

import { listAuditEntries } from '../audit-entries.js';
import { ACTS_SQL, baseline } from '../baseline.js';
import type { Database } from '../connection/database.js';
import { type TestDatabase, TestPostgres } from '../test-postgres.js';
import { Reseal, RESEAL_SQL, type ResealView, type SealedColumn } from './reseal.js';

const OLD = { id: 'k1', key: Buffer.alloc(32, 1) };
const NEW = { id: 'k2', key: Buffer.alloc(32, 2) };
const old = new Cipher([OLD]);
const both = new Cipher([NEW, OLD]);
const ROWS = 25;
const ACT = { by: 'Ann', reason: 'yearly' };

let folder: string;
let server: TestPostgres;
let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  server = await TestPostgres.start();
  folder = await mkdtemp(join(tmpdir(), 'vuka-reseal-'));
  await writeFile(join(folder, 'notes.sql'), 'create table notes (id bigint primary key, text text, url text);\n');
}, 60_000);
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  const migrations = [baseline('payments', [pathToFileURL(join(folder, 'notes.sql')), ...ACTS_SQL, RESEAL_SQL], {})];
  database = await server.database([{ name: 'payments', migrations }]);
  db = await database.connect();
  for (let id = 1; id <= ROWS; id += 1)
    await db.query('insert into notes values ($1, $2, $3)', [
      id,
      id % 3 === 0 ? null : old.seal(`note ${String(id)}`, `note ${String(id)}`),
      id % 5 === 0
        ? 'https://a.example/plain'
        : sealQuery(old, `https://a.example/h?id=${String(id)}`, `url ${String(id)}`),
    ]);
});
afterEach(() => database.stop());

const columns = (cipher: Cipher): SealedColumn[] => [
  { table: 'notes', column: 'text', key: { id: 'bigint' }, cipher, boundTo: ({ id }) => `note ${String(id)}` },
  {
    table: 'notes',
    column: 'url',
    key: { id: 'bigint' },
    cipher,
    isUrl: true,
    boundTo: ({ id }) => `url ${String(id)}`,
  },
];
const TEXTS = ROWS - Math.floor(ROWS / 3);
const URLS = ROWS - Math.floor(ROWS / 5);

const under = async (keyId: string): Promise<number> => {
  const [row] = await db.query<{ texts: number }>(
    `select count(*) filter (where text like $1)::integer + count(*) filter (where url like $2)::integer as texts from notes`,
    [`v1.${keyId}.%`, `%?~v1.${keyId}.%`],
  );
  return row?.texts ?? 0;
};

async function whole(reseal: Reseal, begin = true): Promise<ResealView[]> {
  let views = await reseal.run({ ...ACT, begin });
  while (views.some(({ done }) => !done)) views = await reseal.run({ ...ACT, begin: false });
  return views;
}

describe('sealing anew', () => {
  it('leaves nothing under the old key, opens as before without it, and tells what it found', async () => {
    expect(await whole(new Reseal(db, systemClock, columns(both), 4))).toEqual([
      {
        column: 'notes.text',
        newest: 'k2',
        looked_at: ROWS,
        resealed: TEXTS,
        unopened: 0,
        found: { k1: TEXTS },
        done: true,
      },
      {
        column: 'notes.url',
        newest: 'k2',
        looked_at: ROWS,
        resealed: URLS,
        unopened: 0,
        found: { k1: URLS },
        done: true,
      },
    ]);
    expect([await under('k1'), await under('k2')]).toEqual([0, TEXTS + URLS]);
    const alone = new Cipher([NEW]);
    const rows = await db.query<{ id: string; text: string | null; url: string }>('select * from notes order by id');
    for (const { id, text } of rows.filter(({ text }) => text !== null))
      expect(alone.open(String(text), `note ${id}`)).toBe(`note ${id}`);
    // A second pass looks at all again, and finds none under the old key.
    const again = await whole(new Reseal(db, systemClock, columns(alone), 4));
    expect(again.map(({ resealed, found }) => [resealed, found])).toEqual([
      [0, { k2: TEXTS }],
      [0, { k2: URLS }],
    ]);
    expect((await listAuditEntries(db, { limit: 9 })).map(({ act, by }) => [act, by])).toEqual([
      ['sealed_columns.resealed', 'Ann'],
      ['sealed_columns.resealed', 'Ann'],
    ]);
  });

  it('that was killed in the middle goes on, over no row twice, and with nothing lost', async () => {
    const dying = await database.connect();
    let commits = 0;
    // Its third commit never comes back: the connection is cut while it runs.
    const cut = new Proxy(dying, {
      get: (target, name) =>
        name === 'inTransaction'
          ? async (work: Parameters<Database['inTransaction']>[0]) => {
              commits += 1;
              if (commits === 4) {
                return target.inTransaction(async (tx) => {
                  await work(tx);
                  const [me] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
                  await db.query('select pg_terminate_backend($1)', [me?.pid]);
                  await tx.query('select 1');
                });
              }
              return target.inTransaction(work);
            }
          : (Reflect.get(target, name) as unknown),
    });
    await expect(new Reseal(cut, systemClock, columns(both), 4).run({ ...ACT, begin: true })).rejects.toThrow();
    const between = await under('k1');
    expect(between).toBeGreaterThan(0);
    expect(between).toBeLessThan(TEXTS + URLS);
    const [text] = await new Reseal(db, systemClock, columns(both), 4).views();
    expect(text).toMatchObject({ looked_at: 8, done: false });

    const [first, second] = await whole(new Reseal(db, systemClock, columns(both), 4));
    expect([first?.looked_at, first?.resealed, second?.resealed]).toEqual([ROWS, TEXTS, URLS]);
    expect([await under('k1'), await under('k2')]).toEqual([0, TEXTS + URLS]);
    await dying.close().catch(() => undefined);
  });

  it('counts what does not open, and leaves it', async () => {
    await db.query(`update notes set text = (select text from notes where id = 1) where id = 2`);
    const [text] = await whole(new Reseal(db, systemClock, columns(both), 4));
    expect(text).toMatchObject({ resealed: TEXTS - 1, unopened: 1, done: true });
    expect(await under('k1')).toBe(1);
  });

  it('changes no row that somebody else has changed meanwhile', async () => {
    const newer = both.seal('changed', 'note 1');
    const db2 = await database.connect();
    const slow = new Proxy(db, {
      get: (target, name) =>
        name === 'inTransaction'
          ? (work: Parameters<Database['inTransaction']>[0]) =>
              target.inTransaction(async (tx) => {
                const query: typeof tx.query = (sql, values) => tx.query(sql, values);
                return work(
                  Object.assign(Object.create(tx) as typeof tx, {
                    query: async (sql: string, values?: unknown[]) => {
                      if (sql.startsWith('update notes'))
                        await db2.query('update notes set text = $1 where id = 1', [newer]);
                      return query(sql, values as never);
                    },
                  }),
                );
              })
          : (Reflect.get(target, name) as unknown),
    });
    await whole(new Reseal(slow, systemClock, columns(both).slice(0, 1), 100));
    const [row] = await db.query<{ text: string }>('select text from notes where id = 1');
    expect(row?.text).toBe(newer);
    await db2.close();
  });
});
