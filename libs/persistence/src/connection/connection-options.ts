import type { ClientConfig } from 'pg';
import { DataSource } from 'typeorm';

import type { DatabaseConfig } from './database-config.js';
import { LOCK_SESSION_PARAMETERS } from './lock-session.js';

const STATEMENT_TIMEOUT_MS = 10_000;
const LOCK_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** The driver waits longer than the server's limit. */
const ANSWER_MARGIN_MS = 5_000;

/** 0: no limit. */
export interface Limits {
  readonly maxConnections: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly answerTimeoutMs: number;
}

export function poolLimitsOf(config: DatabaseConfig): Limits {
  const statementTimeoutMs = config.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  return {
    maxConnections: config.maxConnections,
    statementTimeoutMs,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    answerTimeoutMs: statementTimeoutMs + ANSWER_MARGIN_MS,
  };
}

export function lockClientOf(config: DatabaseConfig): ClientConfig {
  const { host, port, user, password, database, schema, applicationName, ssl } = config;
  const { statementTimeoutMs, lockTimeoutMs, answerTimeoutMs } = poolLimitsOf(config);
  return {
    host,
    port,
    user,
    password,
    database,
    application_name: `${applicationName} lock`,
    ...(ssl && { ssl: { ...ssl } }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: answerTimeoutMs,
    keepAlive: true,
    options: optionsOf({
      search_path: schema,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      synchronous_commit: 'on',
      TimeZone: 'UTC',
      ...LOCK_SESSION_PARAMETERS,
    }),
  };
}

/** Startup options, so that no transaction sets them. */
export function dataSourceOf(config: DatabaseConfig, limits: Limits): DataSource {
  const parameters = {
    search_path: config.schema,
    statement_timeout: limits.statementTimeoutMs,
    lock_timeout: limits.lockTimeoutMs,
    idle_in_transaction_session_timeout: limits.statementTimeoutMs,
    synchronous_commit: 'on',
    TimeZone: 'UTC',
    ...(config.lookupsOnly === true && { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off' }),
  };
  return new DataSource({
    type: 'postgres',
    host: config.host,
    port: config.port,
    username: config.user,
    password: config.password,
    database: config.database,
    schema: config.schema,
    applicationName: config.applicationName,
    installExtensions: false,
    ...(config.ssl && { ssl: { ...config.ssl } }),
    logging: false,
    entities: [...(config.entities ?? [])],
    migrations: [...config.migrations],
    migrationsTableName: 'migrations',
    poolErrorHandler: (error: unknown) => config.log?.warn({ err: error }, 'an idle database connection was lost'),
    extra: {
      max: limits.maxConnections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      idleTimeoutMillis: 60_000,
      query_timeout: limits.answerTimeoutMs,
      keepAlive: true,
      options: optionsOf(parameters),
    },
  });
}

function optionsOf(parameters: Readonly<Record<string, string | number>>): string {
  return Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}
