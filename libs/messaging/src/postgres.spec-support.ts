import { baseline, type Database, type MigrationInterface, type QueryRunner } from '@vuka/persistence';
import { TestPostgres, type TestDatabase } from '@vuka/persistence/test-postgres';
import { createLogger, type Logger } from '@vuka/runtime';
import { until as untilTrue } from '@vuka/testing';

import { DEAD_LETTERS_SQL } from './dead-letters/dead-letters.js';
import { INBOX_SQL } from './outbox/inbox.js';
import { OUTBOX_SQL } from './outbox/outbox.js';

export const quiet: Logger = createLogger('test', { level: 'silent' });

class Effects1900000000000 implements MigrationInterface {
  public readonly name = 'Effects1900000000000';

  public async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'create table effects (event_id uuid not null, key text not null, n integer not null, place bigint generated always as identity)',
    );
  }

  public down(): Promise<void> {
    return Promise.resolve();
  }
}

const SCHEMAS = [
  { name: 'maker', migrations: [baseline('maker', [OUTBOX_SQL])] },
  { name: 'taker', migrations: [baseline('taker', [INBOX_SQL, DEAD_LETTERS_SQL]), Effects1900000000000] },
];

/** A server of its own: transactions in other suites' databases would hold back outbox reads. */
export class TestServer {
  private latest: TestDatabase | undefined;

  private constructor(private readonly server: TestPostgres) {}

  public static async start(): Promise<TestServer> {
    return new TestServer(await TestPostgres.start({ alone: true }));
  }

  /** Ends the last one. Producer and consumer each have a schema and login. */
  public async freshDatabases(maxConnections = 20): Promise<{ maker: Database; taker: Database }> {
    await this.latest?.stop();
    const latest = (this.latest = await this.server.database(SCHEMAS));
    const connect = (schema: string): Promise<Database> =>
      latest.connect({ ...latest.of(schema), applicationName: schema, maxConnections });
    return { maker: await connect('maker'), taker: await connect('taker') };
  }

  public async stop(): Promise<void> {
    await this.latest?.stop();
    await this.server.stop();
  }
}

/** Fails after `withinMs`. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 20_000): Promise<void> {
  await untilTrue(condition, { withinMs, what: String(condition) });
}
