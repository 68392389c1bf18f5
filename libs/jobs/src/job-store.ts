import type { RedisConnection } from '@vuka/runtime';
import type { Job, Queue, Worker } from 'bullmq';

/** BullMQ's store on PostgreSQL. `schema` is BullMQ's own and made by it, so the login must be allowed to create schemas. */
export interface PostgresJobs {
  readonly kind: 'postgres';
  /** postgres://user:password@host:port/database */
  readonly connectionString: string;
  readonly schema: string;
}

/** BullMQ's store on Redis: nothing in it is needed after a flush. It must not evict (`maxmemory-policy noeviction`). */
export interface RedisJobs {
  readonly kind: 'redis';
  readonly connection: RedisConnection;
}

export type JobConnection = PostgresJobs | RedisJobs;

export interface JobStore {
  /** Its answers are bounded in time. */
  readonly queue: Queue;
  /** Not running yet. */
  readonly worker: Worker;
  /** Whether BullMQ asks again without a pause after this error, so that somebody has to make it pause. */
  spinsAfter(error: unknown): boolean;
  /** Drops every connection at once, in whatever state it is. */
  abandon(): void;
}

/** What a worker does with a job: nothing that takes time. */
export type ProcessJob = (job: Pick<Job, 'name' | 'repeatJobKey'>) => Promise<void>;
