import type { Queue, Worker } from 'bullmq';

import type { JobStore, PostgresJobs, ProcessJob } from './job-store.js';
import { loadBull, WORKER_OPTIONS } from './load-bull.js';

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;

export async function openPostgresStore(
  connection: PostgresJobs,
  name: string,
  process: ProcessJob,
): Promise<JobStore> {
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
      // A lost wake is harmless: due work is a row, and the next tick finds it.
      options: '-c synchronous_commit=off',
    },
  };
  const queue = new bull.Queue(name, options);
  const worker = new bull.Worker(name, process, { ...options, ...WORKER_OPTIONS, drainDelay: 60 });
  return {
    queue: queue as unknown as Queue,
    worker: worker as unknown as Worker,
    // The worker pauses only after a refused connection.
    spinsAfter: () => true,
    abandon: () => undefined,
  };
}
