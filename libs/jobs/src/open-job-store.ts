import type { JobConnection, JobStore, ProcessJob } from './job-store.js';
import { openPostgresStore } from './postgres-store.js';
import { openRedisStore } from './redis-store.js';

/**
 * Opens BullMQ's queue of this name, and a worker of its own: the one place that knows which store BullMQ runs on. Throws where
 * Redis is not reached within seconds; PostgreSQL tells it later, where it is waited for.
 */
export function openJobStore(connection: JobConnection, queue: string, process: ProcessJob): Promise<JobStore> {
  return connection.kind === 'redis'
    ? openRedisStore(connection, queue, process)
    : openPostgresStore(connection, queue, process);
}
