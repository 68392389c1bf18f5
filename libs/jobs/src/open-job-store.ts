import type { JobConnection, JobStore, ProcessJob } from './job-store.js';
import { openPostgresStore } from './postgres-store.js';

/** Throws if Redis is not reached within seconds. PostgreSQL fails later. */
export async function openJobStore(connection: JobConnection, queue: string, process: ProcessJob): Promise<JobStore> {
  if (connection.kind === 'postgres') return openPostgresStore(connection, queue, process);
  // Loaded only where there is a Redis.
  return (await import('./redis-store.js')).openRedisStore(connection, queue, process);
}
