import type { JobConnection, JobStore, ProcessJob } from './job-store.js';
import { openPostgresStore } from './postgres-store.js';
import { openRedisStore } from './redis-store.js';

/** Throws if Redis is not reached within seconds. PostgreSQL fails later. */
export function openJobStore(connection: JobConnection, queue: string, process: ProcessJob): Promise<JobStore> {
  return connection.kind === 'redis'
    ? openRedisStore(connection, queue, process)
    : openPostgresStore(connection, queue, process);
}
