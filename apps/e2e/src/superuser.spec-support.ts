import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Database } from '@vuka/persistence';

/** As the owner of a running PostgreSQL, for what no service would write. Default schema: payments. */
export async function connectToRunning(dataDir: string): Promise<Database> {
  const postgres = join(dataDir, 'postgres');
  const port = Number(readFileSync(join(postgres, 'data/postmaster.pid'), 'utf8').split('\n')[3]);
  const password = readFileSync(join(postgres, 'password'), 'utf8').trim();
  return Database.connect({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'vuka',
    schema: 'payments',
    maxConnections: 1,
    migrations: [],
    applicationName: 'test',
  });
}
