import type * as Bull from 'bullmq';
import type { Queue, Worker } from 'bullmq';

import type { RedisConnection } from '@vuka/redis';

/** BullMQ's store on PostgreSQL. `schema` is BullMQ's own and made by it, so the login must be allowed to create schemas. */
export interface PostgresJobs {
  readonly kind: 'postgres';
  /** postgres://user:password@host:port/database */
  readonly connectionString: string;
  readonly schema: string;
}

/** BullMQ's store on Redis: nothing in it is needed after a flush. */
export interface RedisJobs {
  readonly kind: 'redis';
  readonly connection: RedisConnection;
}

export type JobConnection = PostgresJobs | RedisJobs;

export interface JobStore {
  readonly queue: Queue;
  /** Not running yet. */
  readonly worker: Worker;
}

/** One BullMQ queue for all wakes: its ticks fall due together and are fetched one behind the other, by one worker. */
const BULL_QUEUE = 'wakes';
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A worker that died holding a wake lets it go after this. Its successor's next tick does not wait for it. */
const STALLED_AFTER_MS = 60_000;
const RETRY_AFTER_MS = 1_000;

/** Loading BullMQ takes a fifth of a second or more: asked for early, it passes while the database starts. */
export function loadBull(): Promise<typeof Bull> {
  return import('bullmq');
}

/**
 * The one place that knows which store BullMQ runs on. Three connections: one for adding, one for fetching, one that
 * listens.
 */
export async function openJobStore(connection: JobConnection, process: (name: string) => void): Promise<JobStore> {
  if (connection.kind === 'redis') throw new Error('not yet');
  const { createPostgresBackend, withBackend } = await loadBull();
  const bull = withBackend(createPostgresBackend);
  const options = {
    connection: {
      connectionString: connection.connectionString,
      schema: connection.schema,
      migrate: true,
      max: 1,
      application_name: 'vuka-jobs',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      // A wake lost in a crash is no loss: what is due is a row, and the next tick finds it. No flush per tick.
      options: '-c synchronous_commit=off',
    },
  };
  const queue = new bull.Queue(BULL_QUEUE, options);
  const worker = new bull.Worker(
    BULL_QUEUE,
    (job) => {
      process(job.name);
      return Promise.resolve();
    },
    {
      ...options,
      autorun: false,
      concurrency: 1,
      drainDelay: 60,
      lockDuration: STALLED_AFTER_MS,
      stalledInterval: STALLED_AFTER_MS,
      runRetryDelay: RETRY_AFTER_MS,
    },
  );
  return { queue: queue as unknown as Queue, worker: worker as unknown as Worker };
}
