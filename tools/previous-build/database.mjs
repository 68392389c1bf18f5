import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import pg from 'pg';

export const DATABASE = 'vuka';
/** Services that keep something; not every build has all of them. BullMQ's schema holds alarms only, which the next start makes anew. */
export const SCHEMAS = ['gateway', 'payments', 'offramp', 'notifier', 'checkout'];

/** The superuser's way to the server of a data folder whose Vuka runs. */
export async function connectToRunning(dataFolder) {
  const folder = join(dataFolder, 'postgres');
  const lines = (await readFile(join(folder, 'data/postmaster.pid'), 'utf8')).split('\n');
  const password = (await readFile(join(folder, 'password'), 'utf8')).trim();
  return { pid: Number(lines[0]), client: await connect({ host: '127.0.0.1', port: Number(lines[3]), user: 'postgres', password }) };
}

/** Texts of what the database holds do not depend on who reads them. */
export async function connect({ host, port, user, password }) {
  const client = new pg.Client({ host, port, user, password, database: DATABASE, connectionTimeoutMillis: 5_000, options: '-c TimeZone=UTC -c DateStyle=ISO -c search_path=pg_catalog' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
