import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLogger } from '@vuka/platform';
import { Database, ensureServiceLogins, startEmbeddedPostgres, type DatabaseConfig, type EmbeddedPostgres } from '@vuka/persistence';
import { bringCluster } from '@vuka/testing';

import { paymentsMigrations } from './migrations.js';

export const silent = createLogger('test', { level: 'silent' });

/** Nothing comes over it. */
export const NO_WIRE = { subscribe: () => () => Promise.resolve() };

/** A PostgreSQL of this suite's own with payments' schema in it. */
export interface PaymentsDatabase {
  readonly db: Database;
  readonly server: EmbeddedPostgres;
  readonly config: Omit<DatabaseConfig, 'migrations' | 'entities'>;
  /** Another pool on the same schema, as another process would have. */
  connect(): Promise<Database>;
  stop(): Promise<void>;
}

export async function startPaymentsDatabase(durable = false): Promise<PaymentsDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'vuka-payments-'));
  await bringCluster(join(folder, 'postgres'));
  const server = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), durable, log: silent });
  try {
    return await prepare(server, folder);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function prepare(server: EmbeddedPostgres, folder: string): Promise<PaymentsDatabase> {
  await ensureServiceLogins(server, 'vuka', [{ name: 'payments', password: 'payments-of-the-tests' }]);
  const config = {
    host: server.host, port: server.port, user: 'vuka_payments', password: 'payments-of-the-tests', database: 'vuka', schema: 'payments',
    maxConnections: 4, applicationName: 'payments-test',
  };
  const opened: Database[] = [];
  const connect = async (): Promise<Database> => {
    const db = await Database.connect({ ...config, migrations: paymentsMigrations });
    opened.push(db);
    return db;
  };
  const db = await connect();
  await db.migrate();
  return {
    db, server, config, connect,
    stop: async () => {
      for (const each of opened) await each.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
