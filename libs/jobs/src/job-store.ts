import type { RedisConnection } from '@vuka/runtime';
import type { Job, Queue, Worker } from 'bullmq';

/** BullMQ creates `schema`: the login must be allowed to. */
export interface PostgresJobs {
  readonly kind: 'postgres';
  /** postgres://user:password@host:port/database */
  readonly connectionString: string;
  readonly schema: string;
}

/** May be flushed. Redis must not evict (`maxmemory-policy noeviction`). */
export interface RedisJobs {
  readonly kind: 'redis';
  readonly connection: RedisConnection;
}

export type JobConnection = PostgresJobs | RedisJobs;

export interface JobStore {
  readonly queue: Queue;
  readonly worker: Worker;
  /** True if BullMQ retries without a pause, so the caller must pause it. */
  spinsAfter(error: unknown): boolean;
  /** Drops every connection at once. */
  abandon(): void;
}

/** Must take no time. */
export type ProcessJob = (job: Pick<Job, 'name' | 'repeatJobKey'>) => Promise<void>;
