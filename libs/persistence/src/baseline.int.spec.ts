import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { baseline, EarlierBuildError, missingMigrations } from './baseline.js';
import type { Database } from './connection/database.js';
import type { MigrationClass } from './connection/database-config.js';
import { TestPostgres, type TestDatabase } from './test-postgres.js';

const NOTES =
  'create table notes (id bigint generated always as identity constraint notes_pk primary key, body text not null);\n';
const LABELS =
  "create table labels (note_id bigint not null references notes (id), label text not null);\ninsert into notes (body) values ('made with the tables');\n";

let folder: string;
let server: TestPostgres;
let database: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-baseline-'));
  server = await TestPostgres.start();
}, 60_000);

afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  database = await server.database([{ name: 'payments' }]);
});

afterEach(() => database.stop());

async function file(name: string, text: string): Promise<URL> {
  await writeFile(join(folder, name), text);
  return pathToFileURL(join(folder, name));
}

const nameOf = (migration: MigrationClass): string => String(new migration().name);
const tablesOf = async (db: Database): Promise<string[]> =>
  (
    await db.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'payments' order by 1",
    )
  ).map(({ name }) => name);

async function ofBoth(): Promise<MigrationClass> {
  return baseline('payments', [await file('notes.sql', NOTES), await file('labels.sql', LABELS)]);
}

describe('a baseline', () => {
  it('runs its files in their order, once, however many processes start and however often', async () => {
    const migrations = [await ofBoth()];
    const processes = await Promise.all([1, 2, 3].map(() => database.connect({ migrations })));
    await Promise.all(processes.map((db) => db.migrate()));
    const [db] = processes as [Database];
    await db.migrate();
    expect(await tablesOf(db)).toEqual(['labels', 'migrations', 'notes']);
    expect(await db.query('select body from notes')).toEqual([{ body: 'made with the tables' }]);
    expect(await db.query('select name from migrations')).toEqual([{ name: nameOf(migrations[0] as MigrationClass) }]);
  });

  it('that fails leaves nothing behind', async () => {
    const db = await database.connect({
      migrations: [
        baseline('payments', [
          await file('notes.sql', NOTES),
          await file('broken.sql', 'create table labels (note_id nonsense);'),
        ]),
      ],
    });
    await expect(db.migrate()).rejects.toThrow('nonsense');
    expect((await tablesOf(db)).filter((name) => name !== 'migrations')).toEqual([]);
  });

  it('is named after its service and its text: the same text is the same name, any other text another', async () => {
    const name = nameOf(await ofBoth());
    expect(name).toMatch(/^payments_baseline_[0-9a-f]{12}_\d{13}$/);
    expect(nameOf(await ofBoth())).toBe(name);
    const others = [
      baseline('payments', [await file('notes.sql', NOTES)]),
      baseline('payments', [await file('labels.sql', LABELS), await file('notes.sql', NOTES)]),
      baseline('payments', [await file('notes.sql', `-- A word more.\n${NOTES}`), await file('labels.sql', LABELS)]),
    ].map(nameOf);
    expect(new Set([name, ...others]).size).toBe(4);
  });

  it('has no way down', async () => {
    await expect(new (await ofBoth())().down({} as never)).rejects.toThrow('no way down');
  });
});

describe('a baseline with rights', () => {
  it('leaves the login what is named, select to delete on the other tables, and nothing that it owns', async () => {
    const files = [await file('notes.sql', NOTES), await file('labels.sql', LABELS)];
    const db = await database.connect({
      migrations: [baseline('payments', files, { notes: 'select, insert (body)' })],
    });
    await db.migrate();
    await db.migrate();
    await db.query("insert into notes (body) values ('by the login')");
    await db.query("insert into labels values (1, 'a'); update labels set label = 'b'; delete from labels");
    for (const statement of [
      "update notes set body = 'another'",
      'delete from notes',
      'truncate labels',
      'alter table labels add column more text',
      'drop table labels',
      'create table mine ()',
      'delete from migrations',
    ])
      await expect(db.query(statement)).rejects.toThrow(/permission denied|must be owner/);
    expect(await db.query("select distinct tableowner as owner from pg_tables where schemaname = 'payments'")).toEqual([
      { owner: 'vuka_payments_owner' },
    ]);
  });

  it('that are no rights makes no table', async () => {
    const files = [await file('notes.sql', NOTES)];
    const db = await database.connect({ migrations: [baseline('payments', files, { notes: 'all to public; --' })] });
    await expect(db.migrate()).rejects.toThrow('not a list of rights');
    expect((await tablesOf(db)).filter((name) => name !== 'migrations')).toEqual([]);
  });
});

describe('a schema that another build has made', () => {
  it('is refused by name of what it ran, with nothing changed', async () => {
    const earlier = baseline('payments', [await file('notes.sql', NOTES)]);
    const before = await database.connect({ migrations: [earlier] });
    await before.migrate();
    await before.query("insert into notes (body) values ('kept')");
    const migrations = [await ofBoth()];
    const refused: unknown = await (await database.connect({ migrations })).migrate().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EarlierBuildError);
    expect((refused as Error).message).toContain(
      `another build of Vuka made the tables of payments (${nameOf(earlier)})`,
    );
    expect(await tablesOf(before)).toEqual(['migrations', 'notes']);
    expect(await before.query('select body from notes')).toEqual([{ body: 'kept' }]);
    expect(await before.query('select name from migrations')).toEqual([{ name: nameOf(earlier) }]);
  });

  it('is refused also where the own baseline has run beside what is unknown', async () => {
    const migrations = [await ofBoth()];
    const db = await database.connect({ migrations });
    await db.migrate();
    await db.query("insert into migrations (timestamp, name) values (4000000000000, 'OfLater4000000000000')");
    await expect(db.migrate()).rejects.toThrow('(OfLater4000000000000)');
  });
});

describe('what is missing of a baseline', () => {
  it('is all of it on a schema that never ran anything, and nothing once it has', async () => {
    const known = [await ofBoth()];
    const db = await database.connect({ migrations: known });
    expect(await missingMigrations(db, known)).toEqual(known.map(nameOf));
    expect(await tablesOf(db)).toEqual([]);
    await db.migrate();
    expect(await missingMigrations(db, known)).toEqual([]);
  });

  it('is the baseline itself where an earlier one has run', async () => {
    const db = await database.connect({ migrations: [baseline('payments', [await file('notes.sql', NOTES)])] });
    await db.migrate();
    const known = [await ofBoth()];
    expect(await missingMigrations(db, known)).toEqual(known.map(nameOf));
  });
});
