import { dropClient, redisOptions, answerWithin } from '@vuka/runtime';
import { Redis, type RedisOptions } from 'ioredis';

import type { JobStore, ProcessJob, RedisJobs } from './job-store.js';
import { loadBull, WORKER_OPTIONS } from './load-bull.js';

const CONNECT_WITHIN_MS = 3_000;
const COMMAND_TIMEOUT_MS = 2_000;
/** BullMQ blocks for at most 10 s; longer silence means a dead connection. */
const SILENT_MS = 15_000;
/** Seconds. */
const BLOCK_S = 5;
/** Nobody reads this stream. */
const EVENTS_KEPT = 100;

export async function openRedisStore({ connection }: RedisJobs, name: string, process: ProcessJob): Promise<JobStore> {
  const bull = await loadBull();
  const clients: Redis[] = [];
  const abandon = (): void => {
    for (const client of clients) dropClient(client);
  };
  const connect = (options: RedisOptions): Promise<Redis> =>
    connectWithin(
      CONNECT_WITHIN_MS,
      tracked(new Redis({ ...redisOptions(connection, 'vuka-jobs'), ...options }), clients),
    );
  try {
    // Must not wait for a connection: meanwhile the clock wakes by itself.
    const adding = await connect({
      commandTimeout: COMMAND_TIMEOUT_MS,
      socketTimeout: SILENT_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    });
    // A worker waits for its connection. It has at most two commands under way.
    const fetching = await connect({ socketTimeout: SILENT_MS, maxRetriesPerRequest: null });
    const prefix = `${connection.prefix}jobs`;
    const queue = new bull.Queue(name, { connection: adding, prefix, streams: { events: { maxLen: EVENTS_KEPT } } });
    const worker = new bull.Worker(name, process, {
      connection: fetching,
      prefix,
      ...WORKER_OPTIONS,
      drainDelay: BLOCK_S,
    });
    return {
      queue,
      worker,
      // BullMQ retries at once what Redis refuses.
      spinsAfter: (error) => error instanceof Error && error.name === 'ReplyError',
      abandon: () => {
        // Stops BullMQ from checking stalled jobs and reconnecting.
        worker.pause(true).catch(() => undefined);
        worker
          .getBackend()
          .close(true)
          .catch(() => undefined);
        abandon();
      },
    };
  } catch (error) {
    abandon();
    throw error;
  }
}

/** Also tracks BullMQ's duplicates. */
function tracked(client: Redis, clients: Redis[]): Redis {
  clients.push(client);
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (options) => tracked(duplicate(options), clients);
  // Without a listener ioredis writes to the console.
  client.on('error', () => undefined);
  return client;
}

async function connectWithin(ms: number, client: Redis): Promise<Redis> {
  let cause: Error | undefined;
  client.on('error', (error) => {
    cause = error;
  });
  const connected = client.connect().then(
    () => true,
    () => false,
  );
  if (await answerWithin(ms, connected, false)) return client;
  throw new Error(`Redis cannot be reached: ${cause?.message ?? `no answer within ${ms} ms`}`, { cause });
}
