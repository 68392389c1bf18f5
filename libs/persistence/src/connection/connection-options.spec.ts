import { describe, expect, it } from '@jest/globals';

import { dataSourceOf, lockClientOf, poolLimitsOf } from './connection-options.js';
import type { DatabaseConfig } from './database-config.js';

const config: DatabaseConfig = {
  host: 'db.example',
  port: 5432,
  user: 'vuka_payments',
  password: 'a-password',
  database: 'vuka',
  schema: 'payments',
  maxConnections: 3,
  migrations: [],
  applicationName: 'payments',
};
const poolOf = (over: Partial<DatabaseConfig>): Record<string, unknown> =>
  dataSourceOf({ ...config, ...over }, poolLimitsOf(config)).options as unknown as Record<string, unknown>;

describe('TLS to the database', () => {
  it('is that of the pool and of the lock alike, with the certificate checked', () => {
    const ssl = { ca: 'PEM', rejectUnauthorized: true } as const;
    expect(poolOf({ ssl })['ssl']).toEqual(ssl);
    expect(lockClientOf({ ...config, ssl }).ssl).toEqual(ssl);
  });

  it('is left out for a server on this machine', () => {
    expect(poolOf({})).not.toHaveProperty('ssl');
    expect(lockClientOf(config)).not.toHaveProperty('ssl');
  });
});

describe('the connection that holds a lock', () => {
  it('is let go by the server where its holder says nothing, and its own waits have a bound', () => {
    const {
      options,
      query_timeout: answer,
      connectionTimeoutMillis: connect,
    } = lockClientOf({ ...config, statementTimeoutMs: 3_000 });
    for (const parameter of [
      'search_path=payments',
      'statement_timeout=3000',
      'idle_session_timeout=15000',
      'tcp_keepalives_idle=4',
      'tcp_user_timeout=10000',
    ]) {
      expect(options).toContain(`-c ${parameter}`);
    }
    expect([answer, connect]).toEqual([8_000, 5_000]);
  });
});
