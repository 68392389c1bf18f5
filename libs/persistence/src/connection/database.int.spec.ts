import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { DatabaseConfig } from './database-config.js';
import {
  CommitOutcomeUnknownError,
  isConnectionError,
  isTransientError,
  isUniqueViolation,
} from './database-errors.js';
import { Database } from './database.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { ask, log, temporaryFolder, until } from '../embedded/embedded-postgres.spec-support.js';
import { Column, Entity, PrimaryColumn, type MigrationInterface, type QueryRunner } from '../index.js';
import { MAKE_PARTITION_SQL } from '../baseline.js';
import { ensureMonthlyPartitions } from '../monthly-partitions.js';
import { bringCluster } from '../embedded/ready-cluster.js';
import { ensureServiceLogins } from '../service-logins.js';

@Entity({ name: 'notes' })
class Note {
  @PrimaryColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'text' })
  body!: string;
}

class FirstTables1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE notes (id bigint CONSTRAINT notes_pk PRIMARY KEY, body text NOT NULL)');
    await runner.query(
      'CREATE TABLE entries (at timestamptz NOT NULL, amount_minor numeric(38,0) NOT NULL) PARTITION BY RANGE (at)',
    );
    await runner.query('CREATE TABLE entries_default PARTITION OF entries DEFAULT');
    await runner.query(readFileSync(MAKE_PARTITION_SQL, 'utf8'));
  }

  async down(): Promise<void> {}
}

class IndexBesideWriters1700000000002 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX CONCURRENTLY notes_by_body ON notes (body)');
  }

  async down(): Promise<void> {}
}

const services = [
  { name: 'payments', password: 'payments-password-1' },
  { name: 'notifier', password: 'notifier-password-1' },
  { name: 'jobs', password: 'jobs-password-12345', createsSchemas: true },
];

describe('the database of a service', () => {
  let work: string;
  let server: EmbeddedPostgres;
  let db: Database;

  const configOf = (service: string, password: string): DatabaseConfig => ({
    host: server.host,
    port: server.port,
    user: `vuka_${service}`,
    password,
    database: 'vuka',
    schema: service,
    maxConnections: 3,
    migrations: [FirstTables1700000000001],
    entities: [Note],
    applicationName: service,
    log,
  });
  const payments = (): DatabaseConfig => configOf('payments', 'payments-password-1');

  beforeAll(async () => {
    work = await temporaryFolder();
    await bringCluster(join(work, 'pg'));
    server = await startEmbeddedPostgres({ folder: join(work, 'pg'), durable: false, log });
    await ensureServiceLogins(server, 'vuka', services);
    db = await Database.connect(payments());
    await db.migrate();
  }, 60_000);

  afterAll(async () => {
    await db?.close();
    await server?.stop();
    await rm(work, { recursive: true, force: true });
  });

  beforeEach(async () => {
    await db.query('TRUNCATE notes');
  });

  const notes = async (): Promise<string[]> =>
    (await db.query<{ body: string }>('SELECT body FROM notes ORDER BY id')).map(({ body }) => body);

  describe('statements', () => {
    it('bring bigint and numeric back as text, exactly, and timestamptz as Date', async () => {
      const rows = await db.query(
        `SELECT 9223372036854775807::bigint AS big, 12345678901234567890123456789012345678::numeric(38,0) AS wide,
                '2026-11-21T10:00:00Z'::timestamptz AS at, 7::int AS small`,
      );
      expect(rows).toEqual([
        {
          big: '9223372036854775807',
          wide: '12345678901234567890123456789012345678',
          at: new Date('2026-11-21T10:00:00Z'),
          small: 7,
        },
      ]);
    });

    it('are prepared once per connection under their name', async () => {
      const seen = await db.inTransaction(async (tx) => {
        for (const id of [1, 2, 3]) await tx.query('SELECT $1::int + 1', [id], { name: 'add_one' });
        return tx.query<{ n: number }>(
          `SELECT (generic_plans + custom_plans)::int AS n FROM pg_prepared_statements WHERE name = 'add_one'`,
        );
      });
      expect(seen).toEqual([{ n: 3 }]);
    });

    it('run with the settings of the service on every connection', async () => {
      const [row] = await db.query(
        `SELECT current_setting('search_path') AS path, current_setting('statement_timeout') AS statement,
                current_setting('lock_timeout') AS lock, current_setting('idle_in_transaction_session_timeout') AS idle,
                current_setting('synchronous_commit') AS commit, current_setting('application_name') AS app,
                current_setting('TimeZone') AS zone`,
      );
      expect(row).toEqual({
        path: 'payments',
        statement: '10s',
        lock: '5s',
        idle: '10s',
        commit: 'on',
        app: 'payments',
        zone: 'UTC',
      });
    });

    it('leave the connection in the pool when they break a constraint', async () => {
      await db.query(`INSERT INTO notes VALUES (1, 'first')`);
      const before = await connections('payments');
      for (let attempt = 0; attempt < 10; attempt += 1) {
        const error: unknown = await db
          .query(`INSERT INTO notes VALUES (1, 'again')`)
          .catch((caught: unknown) => caught);
        expect(isUniqueViolation(error)).toBe(true);
        expect(isUniqueViolation(error, 'notes_pk')).toBe(true);
        expect(isUniqueViolation(error, 'another')).toBe(false);
      }
      expect(await connections('payments')).toEqual(before);
    });
  });

  describe('transactions', () => {
    it('commit, and give the entity manager the same connection', async () => {
      await db.inTransaction(async (tx) => {
        await tx.query(`INSERT INTO notes VALUES (1, 'raw')`);
        await tx.manager.getRepository(Note).insert({ id: '2', body: 'entity' });
        expect(await tx.manager.getRepository(Note).count()).toBe(2);
      });
      expect(await notes()).toEqual(['raw', 'entity']);
    });

    it('undo everything when the work throws', async () => {
      await expect(
        db.inTransaction(async (tx) => {
          await tx.query(`INSERT INTO notes VALUES (1, 'lost')`);
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(await notes()).toEqual([]);
    });

    it('never report success after an ignored failed statement', async () => {
      await expect(
        db.inTransaction(async (tx) => {
          await tx.query(`INSERT INTO notes VALUES (1, 'lost')`);
          await tx.query('SELECT 1 / 0').catch(() => undefined);
        }),
      ).rejects.toThrow('a failed statement has rolled back this transaction');
      expect(await notes()).toEqual([]);
    });

    it('run again after a deadlock when asked to, so that both end', async () => {
      await db.query(`INSERT INTO notes VALUES (1, 'a'), (2, 'b')`);
      let arrived = 0;
      let runs = 0;
      const cross = (first: number, second: number): Promise<void> =>
        db.inTransaction(
          async (tx) => {
            runs += 1;
            await tx.query('UPDATE notes SET body = body || $2 WHERE id = $1', [first, 'x']);
            arrived += 1;
            await until(() => arrived >= 2);
            await tx.query('UPDATE notes SET body = body || $2 WHERE id = $1', [second, 'x']);
          },
          { retries: 3 },
        );
      await Promise.all([cross(1, 2), cross(2, 1)]);
      expect(runs).toBe(3);
      expect(await notes()).toEqual(['axx', 'bxx']);
    }, 20_000);

    it('do not run again unless asked to', async () => {
      let runs = 0;
      const failing = db.inTransaction(async (tx) => {
        runs += 1;
        await tx.query(`DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$`);
      });
      const error: unknown = await failing.catch((caught: unknown) => caught);
      expect(isTransientError(error)).toBe(true);
      expect(runs).toBe(1);
    });

    it('fail as an outage when the connection is cut in the middle, and the pool recovers', async () => {
      const cut = db.inTransaction(async (tx) => {
        await tx.query(`INSERT INTO notes VALUES (1, 'lost')`);
        const [row] = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await ask(server, `SELECT pg_terminate_backend(${row?.pid})`);
        await tx.query('SELECT 1');
      });
      const error: unknown = await cut.catch((caught: unknown) => caught);
      expect(isConnectionError(error)).toBe(true);
      expect(error).not.toBeInstanceOf(CommitOutcomeUnknownError);
      expect(await notes()).toEqual([]);
    });

    it('say that the outcome is unknown when the connection is cut during COMMIT', async () => {
      // A deferred trigger cuts its connection inside COMMIT.
      await db.query(`CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(5); RETURN NULL; END $$`);
      await db.query(
        `CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION cut()`,
      );
      try {
        const failed = db.inTransaction((tx) => tx.query(`INSERT INTO notes VALUES (1, 'unknown')`), { retries: 3 });
        await expect(failed).rejects.toBeInstanceOf(CommitOutcomeUnknownError);
      } finally {
        await db.query('DROP TRIGGER cut ON notes');
      }
      await db.ping();
    }, 20_000);

    it('report a refusal at COMMIT as a known rollback', async () => {
      await db.query('ALTER TABLE notes ADD CONSTRAINT body_once UNIQUE (body) DEFERRABLE INITIALLY DEFERRED');
      const failed = db.inTransaction((tx) => tx.query(`INSERT INTO notes VALUES (1, 'same'), (2, 'same')`));
      const error: unknown = await failed.catch((caught: unknown) => caught);
      await db.query('ALTER TABLE notes DROP CONSTRAINT body_once');
      expect(isUniqueViolation(error, 'body_once')).toBe(true);
      expect(await notes()).toEqual([]);
    });
  });

  describe('migrations', () => {
    it('run once, also when several processes start at once', async () => {
      await Promise.all([db.migrate(), db.migrate(), db.migrate()]);
      expect(await db.query('SELECT name FROM migrations')).toEqual([{ name: 'FirstTables1700000000001' }]);
    });

    it('wait for one that builds an index beside writers, and not it for them', async () => {
      const connected = await Promise.all(
        [1, 2, 3].map(() =>
          Database.connect({ ...payments(), migrations: [FirstTables1700000000001, IndexBesideWriters1700000000002] }),
        ),
      );
      try {
        await Promise.all(connected.map((each) => each.migrate()));
        expect(await db.query("SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_by_body'::regclass")).toEqual([
          { indisvalid: true },
        ]);
      } finally {
        await Promise.all(connected.map((each) => each.close()));
      }
    }, 60_000);
  });

  describe('monthly partitions', () => {
    it('hold the rows of their month in UTC, and are made once', async () => {
      const november = new Date('2026-11-30T23:59:59Z');
      await Promise.all([1, 2, 3].map(() => ensureMonthlyPartitions(db, 'entries', november, 2)));
      await ensureMonthlyPartitions(db, 'entries', november, 2);
      await db.query(`INSERT INTO entries VALUES ('2026-11-01T00:00:00Z', 1), ('2026-11-30T23:59:59.999Z', 2),
        ('2026-12-01T00:00:00Z', 3), ('2027-01-31T23:59:59Z', 4), ('2027-02-01T00:00:00Z', 5)`);
      expect(
        await db.query('SELECT tableoid::regclass::text AS part, amount_minor FROM entries ORDER BY amount_minor'),
      ).toEqual([
        { part: 'entries_y2026m11', amount_minor: '1' },
        { part: 'entries_y2026m11', amount_minor: '2' },
        { part: 'entries_y2026m12', amount_minor: '3' },
        { part: 'entries_y2027m01', amount_minor: '4' },
        { part: 'entries_default', amount_minor: '5' },
      ]);
    });

    it('refuse what is not a table name', async () => {
      await expect(ensureMonthlyPartitions(db, 'entries; DROP TABLE notes', new Date(0), 0)).rejects.toThrow(
        'not a table name',
      );
    });
  });

  describe('service logins', () => {
    it('can be ensured again at each start, with new passwords', async () => {
      await ensureServiceLogins(server, 'vuka', services);
      await db.ping();
      await ensureServiceLogins(server, 'vuka', [{ name: 'notifier', password: 'notifier-password-2' }]);
      const notifier = await Database.connect(configOf('notifier', 'notifier-password-2'));
      await notifier.close();
      await expect(Database.connect(configOf('notifier', 'notifier-password-1'))).rejects.toThrow(
        /password authentication failed/,
      );
    });

    it('keep each service inside its own schema', async () => {
      await ensureServiceLogins(server, 'vuka', services);
      const notifier = await Database.connect(configOf('notifier', 'notifier-password-1'));
      try {
        await notifier.migrate();
        await notifier.query(`INSERT INTO notes VALUES (1, 'mine')`);
        for (const statement of [
          'SELECT * FROM notifier.notes',
          'CREATE TABLE notifier.intruder ()',
          'CREATE TABLE public.intruder ()',
          'CREATE SCHEMA intruder',
          'SET ROLE vuka_notifier',
        ]) {
          await expect(db.query(statement)).rejects.toThrow(/permission denied/);
        }
        expect(await notes()).toEqual([]);
      } finally {
        await notifier.close();
      }
    });

    it('let only the one that needs it make schemas', async () => {
      const jobs = {
        ...server,
        host: server.host,
        port: server.port,
        user: 'vuka_jobs',
        password: 'jobs-password-12345',
      };
      await ask(jobs, 'CREATE SCHEMA IF NOT EXISTS jobs', 'vuka');
    });
  });

  describe('an outage', () => {
    it('fails running work at once, and ends when the server is back', async () => {
      await db.query(`INSERT INTO notes VALUES (1, 'committed')`);
      const underWay = [
        db.query('SELECT pg_sleep(10)'),
        db.inTransaction((tx) => tx.query(`INSERT INTO notes SELECT 2, pg_sleep(10)::text`)),
      ].map((work) =>
        work.then(
          () => 'done',
          (error: unknown) => (isConnectionError(error) ? 'outage' : error),
        ),
      );
      await until(
        async () =>
          (
            await ask(
              server,
              `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(10)%' AND state = 'active' AND pid <> pg_backend_pid()`,
            )
          ).length === 2,
      );
      process.kill(server.pid, 'SIGKILL');
      expect(await Promise.all(underWay)).toEqual(['outage', 'outage']);
      await until(() =>
        db.ping().then(
          () => true,
          () => false,
        ),
      );
      expect(await notes()).toEqual(['committed']);
    }, 60_000);
  });

  const connections = async (app: string): Promise<{ pid: number }[]> =>
    ask<{ pid: number }>(server, `SELECT pid FROM pg_stat_activity WHERE application_name = '${app}' ORDER BY pid`);
});
