import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Database } from '@vuka/persistence';

/** The owner of a running folder's PostgreSQL: for what no service of ours would write. */
export interface Superuser {
  query(sql: string, values?: readonly unknown[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

export async function connectToRunning(dataDir: string, schema = 'payments'): Promise<Superuser> {
  const postgres = join(dataDir, 'postgres');
  const port = Number(readFileSync(join(postgres, 'data/postmaster.pid'), 'utf8').split('\n')[3]);
  const password = readFileSync(join(postgres, 'password'), 'utf8').trim();
  const db = await Database.connect({ host: '127.0.0.1', port, user: 'postgres', password, database: 'vuka', schema, maxConnections: 1, migrations: [], applicationName: 'test' });
  return { query: (sql, values = []) => db.query(sql, [...values]), close: () => db.close() };
}
