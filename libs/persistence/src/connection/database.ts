import { setTimeout as sleep } from 'node:timers/promises';

import type { Client, Pool, PoolClient, QueryConfig } from 'pg';
import { MigrationExecutor, type DataSource, type EntityManager, type QueryRunner } from 'typeorm';

import { pendingMigrations } from '../baseline.js';
import { dataSourceOf, lockClientOf, poolLimitsOf } from './connection-options.js';
import type { DatabaseConfig, EventMacs } from './database-config.js';
import { CommitOutcomeUnknownError, isConnectionError, isTransientError } from './database-errors.js';
import { openLockSession, type LockSession } from './lock-session.js';
import type { Queryable, QueryOptions } from './queryable.js';

export interface Transaction extends Queryable {
  readonly manager: EntityManager;
  /** As of DatabaseConfig: what is committed here is written in this service's name. */
  readonly eventMacs?: EventMacs;
}

export interface TransactionOptions {
  /** Retries after a deadlock, serialization failure or lock timeout; default none. */
  readonly retries?: number;
}

const CLOSE_TIMEOUT_MS = 5_000;
const MIGRATION_LOCK_TIMEOUT_MS = 30_000;
const MIGRATION_TURN_PAUSE_MS = 100;
const RETRY_PAUSE_MS = 20;

export class Database implements Queryable {
  private constructor(
    readonly dataSource: DataSource,
    private readonly config: DatabaseConfig,
  ) {}

  /** Throws if refused or not reached within 5 s. Runs no migration. */
  static async connect(config: DatabaseConfig): Promise<Database> {
    const dataSource = dataSourceOf(config, poolLimitsOf(config));
    await dataSource.initialize();
    return new Database(dataSource, config);
  }

  get eventMacs(): EventMacs | undefined {
    return this.config.eventMacs;
  }

  /** In its own transaction. */
  async query<T>(sql: string, params: readonly unknown[] = [], options: QueryOptions = {}): Promise<T[]> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    // An unheard error event would end the process.
    const onLost = (error: Error): void => void (broken = error);
    client.on('error', onLost);
    try {
      return await run<T>(client, sql, params, options);
    } catch (error) {
      if (isConnectionError(error)) broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
      client.off('error', onLost);
    }
  }

  /**
   * Read committed. Throws CommitOutcomeUnknownError if the connection breaks during COMMIT. `fn` makes no
   * external call.
   */
  async inTransaction<T>(fn: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const retries = options.retries ?? 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.runTransaction(fn);
      } catch (error) {
        if (attempt >= retries || !isTransientError(error)) throw error;
        await sleep(RETRY_PAUSE_MS * (attempt + Math.random()));
      }
    }
  }

  /**
   * Each in its own transaction, one process at a time. Throws after waiting 30 s, and EarlierBuildError,
   * before any change, for another build's schema.
   */
  async migrate(): Promise<void> {
    const { schema, migrations } = this.config;
    // Most starts have nothing to run, and need no lock and no other connection.
    if ((await pendingMigrations(this, schema, migrations)).length === 0) return;
    const dataSource = dataSourceOf(this.config, {
      maxConnections: 1,
      statementTimeoutMs: 0,
      lockTimeoutMs: MIGRATION_LOCK_TIMEOUT_MS,
      answerTimeoutMs: 0,
    });
    await dataSource.initialize();
    try {
      const runner = dataSource.createQueryRunner();
      await this.takeTurn(runner);
      await pendingMigrations({ query: (sql) => runner.query(sql) as Promise<never[]> }, schema, migrations);
      const executor = new MigrationExecutor(dataSource, runner);
      executor.transaction = 'each';
      await executor.executePendingMigrations();
      await runner.release();
    } finally {
      await dataSource.destroy();
    }
  }

  /** Polls: `create index concurrently` waits even for a statement that waits for its lock. */
  private async takeTurn(runner: QueryRunner): Promise<void> {
    const lock = `${this.config.schema}.migrations`;
    for (let waitedMs = 0; waitedMs <= MIGRATION_LOCK_TIMEOUT_MS; waitedMs += MIGRATION_TURN_PAUSE_MS) {
      const rows = (await runner.query('SELECT pg_try_advisory_lock(hashtext($1)) AS taken', [lock])) as readonly {
        taken: boolean;
      }[];
      if (rows[0]?.taken === true) return;
      await sleep(MIGRATION_TURN_PAUSE_MS);
    }
    throw new Error(
      `another process has migrated ${this.config.schema} for more than ${MIGRATION_LOCK_TIMEOUT_MS / 1_000} s: start this process again when that one has ended`,
    );
  }

  /**
   * null: another session has it. Uses its own connection. A stopped or disconnected holder loses it within
   * about 15 s, a killed one at once. Throws if the server is not reached.
   */
  lockSession(lock: string): Promise<LockSession | null> {
    return openLockSession(lockClientOf(this.config), `${this.config.schema}.${lock}`);
  }

  /** Throws if the database does not answer. */
  async ping(): Promise<void> {
    await this.query('SELECT 1', [], { name: 'ping' });
  }

  /** Waits at most 5 s. */
  async close(): Promise<void> {
    if (!this.dataSource.isInitialized) return;
    await Promise.race([this.dataSource.destroy(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }

  private async runTransaction<T>(fn: (tx: Transaction) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const client = (await runner.connect()) as PoolClient & Client;
    let committing = false;
    try {
      await runner.startTransaction();
      const result = await fn({
        manager: runner.manager,
        ...(this.eventMacs && { eventMacs: this.eventMacs }),
        query: <R>(sql: string, params: readonly unknown[] = [], options: QueryOptions = {}) =>
          run<R>(client, sql, params, options),
      });
      committing = true;
      const { command } = await client.query('COMMIT');
      // COMMIT after a failed statement rolls back; only its tag shows it.
      if (command !== 'COMMIT') throw new Error('a failed statement has rolled back this transaction');
      return result;
    } catch (error) {
      const lost = isConnectionError(error);
      if (!lost) await runner.rollbackTransaction().catch(() => undefined);
      if (lost && committing) throw new CommitOutcomeUnknownError(error);
      throw error;
    } finally {
      // A broken connection never returns to the pool.
      if (client.getTransactionStatus() !== 'I') void client.end().catch(() => undefined);
      await runner.release();
    }
  }
}

async function run<T>(
  client: PoolClient,
  sql: string,
  params: readonly unknown[],
  { name }: QueryOptions,
): Promise<T[]> {
  const statement: QueryConfig = { text: sql, values: [...params], ...(name !== undefined && { name }) };
  return (await client.query(statement)).rows as T[];
}
