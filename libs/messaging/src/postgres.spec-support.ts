import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Database, ensureServiceLogins, startEmbeddedPostgres, type AdminLogin, type MigrationInterface, type QueryRunner } from '@vuka/persistence';
import { createLogger, type Logger } from '@vuka/platform';
import { bringCluster, until as untilTrue } from '@vuka/testing';

import { deadLetterReplayMigrationSql, deadLettersMigrationSql } from './dead-letters.js';
import { inboxMigrationSql } from './inbox.js';
import { outboxMigrationSql } from './outbox.js';

export const quiet: Logger = createLogger('test', { level: 'silent' });

class MakerSchema1 implements MigrationInterface {
  public readonly name = 'MakerSchema1763700000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(outboxMigrationSql());
  }

  public down(): Promise<void> {
    return Promise.resolve();
  }
}

class TakerSchema1 implements MigrationInterface {
  public readonly name = 'TakerSchema1763700000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(inboxMigrationSql());
    await runner.query(deadLettersMigrationSql());
    await runner.query(deadLetterReplayMigrationSql());
    await runner.query('create table effects (event_id uuid not null, key text not null, n integer not null, place bigint generated always as identity)');
  }

  public down(): Promise<void> {
    return Promise.resolve();
  }
}

/** A server of the tests' own, thrown away afterwards. */
export class TestServer {
  private readonly open: Database[] = [];
  private databases = 0;

  private constructor(
    private readonly admin: AdminLogin,
    private readonly shutDown: () => Promise<void>,
  ) {}

  public static async start(): Promise<TestServer> {
    const url = process.env['TEST_DATABASE_URL'];
    if (url !== undefined) {
      const { hostname, port, username, password } = new URL(url);
      return new TestServer({ host: hostname, port: Number(port), user: username, password }, () => Promise.resolve());
    }
    const folder = await mkdtemp(join(tmpdir(), 'vuka-messaging-'));
    await bringCluster(folder);
    const server = await startEmbeddedPostgres({ folder, durable: false, log: quiet });
    return new TestServer(server, async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** Closes what was open. A fresh database with a producer's and a consumer's schema, each behind its own login. */
  public async freshDatabases(maxConnections = 20): Promise<{ maker: Database; taker: Database }> {
    await Promise.all(this.open.splice(0).map((db) => db.close()));
    this.databases += 1;
    const database = `messaging_${process.pid}_${this.databases}`;
    const password = 'password-of-the-tests';
    await ensureServiceLogins(this.admin, database, [
      { name: 'maker', password },
      { name: 'taker', password },
    ]);
    const connect = async (schema: string, migration: new () => MigrationInterface): Promise<Database> => {
      const { host, port } = this.admin;
      const config = { host, port, user: `vuka_${schema}`, password, database, schema, applicationName: schema };
      const db = await Database.connect({ ...config, maxConnections, migrations: [migration] });
      this.open.push(db);
      await db.migrate();
      return db;
    };
    return { maker: await connect('maker', MakerSchema1), taker: await connect('taker', TakerSchema1) };
  }

  public async stop(): Promise<void> {
    await Promise.all(this.open.map((db) => db.close()));
    await this.shutDown();
  }
}

/** Resolves when the condition holds; fails after `withinMs`. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  await untilTrue(condition, { withinMs, what: String(condition) });
}
