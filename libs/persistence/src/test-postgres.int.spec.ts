import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { Database } from './connection/database.js';
import { ask } from './embedded/embedded-postgres.spec-support.js';
import type { MigrationInterface, QueryRunner } from './index.js';
import type { AdminLogin } from './service-logins.js';
import { borrowDatabase, type TestDatabase, type TestSchema } from './test-postgres.js';

const ran = { notes: 0, fails: 0 };

class Notes1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    ran.notes += 1;
    await runner.query('create table notes (body text not null)');
  }

  async down(): Promise<void> {}
}

class FailsOnce1763700000002 implements MigrationInterface {
  async up(): Promise<void> {
    ran.fails += 1;
    if (ran.fails === 1) throw new Error('the first time');
  }

  async down(): Promise<void> {}
}

const SCHEMAS: readonly TestSchema[] = [{ name: 'payments', migrations: [Notes1763700000001] }, { name: 'notifier' }];
/** As the run's server. */
let server: TestDatabase;
let admin: AdminLogin;

beforeAll(async () => {
  server = await borrowDatabase([{ name: 'nobody' }], { alone: true });
  process.env['VUKA_TEST_POSTGRES_URL'] = server.adminUrl;
  const { port, username, password } = new URL(server.adminUrl);
  admin = { host: '127.0.0.1', port: Number(port), user: username, password: decodeURIComponent(password) };
}, 60_000);

afterAll(() => server.stop());

const databases = async (like: string): Promise<string[]> =>
  (
    await ask<{ name: string }>(
      admin,
      `select datname as name from pg_database where datname like '${like}' order by 1`,
    )
  ).map(({ name }) => name);

describe('a database of the run’s server', () => {
  it('is each suite’s own, a copy of one that is migrated once for however many that begin at once, and gone when it ends', async () => {
    const before = await databases('suite%');
    const suites = await Promise.all(Array.from({ length: 4 }, () => borrowDatabase(SCHEMAS)));
    expect(ran.notes).toBe(1);
    expect(new Set(suites.map(({ config }) => config.database)).size).toBe(4);
    const [first, second] = await Promise.all(suites.map((suite) => suite.connect()));
    await first?.query("insert into notes values ('mine')");
    expect(await second?.query('select * from notes')).toEqual([]);
    // Open connections do not keep it.
    const left = await Database.connect({ ...(suites[0] as TestDatabase).config, migrations: [] });
    await Promise.all(suites.map((suite) => suite.stop()));
    expect(await databases('suite%')).toEqual(before);
    await left.close();
  }, 60_000);

  it('has the logins and rights of its template', async () => {
    const suite = await borrowDatabase(SCHEMAS);
    const rights = await ask<{ acl: string }>(
      admin,
      `select datacl::text as acl from pg_database where datname = '${suite.config.database}' or datname like 'template\\_%' and datacl::text like '%vuka_payments%'`,
    );
    expect(rights).toHaveLength(2);
    expect(rights[0]).toEqual(rights[1]);
    const notifier = await suite.connect(suite.of('notifier'));
    await expect(notifier.query('select * from payments.notes')).rejects.toThrow('permission denied');
    const stranger = await borrowDatabase([{ name: 'offramp' }]);
    await expect(
      Database.connect({ ...stranger.config, database: suite.config.database, migrations: [] }),
    ).rejects.toThrow('permission denied for database');
    await Promise.all([suite.stop(), stranger.stop()]);
  }, 60_000);

  it('is never a copy of one whose migrations did not all run', async () => {
    const schemas = [{ name: 'payments', migrations: [Notes1763700000001, FailsOnce1763700000002] }];
    await expect(borrowDatabase(schemas)).rejects.toThrow('the first time');
    const suite = await borrowDatabase(schemas);
    expect(await (await suite.connect()).query('select name from migrations')).toHaveLength(2);
    await suite.stop();
    expect(await databases('%unfinished')).toEqual([]);
  }, 60_000);
});
