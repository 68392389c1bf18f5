import { dropClient, redisOptions, answerWithin } from '@vuka/runtime';
import { Redis, type RedisOptions } from 'ioredis';

import type { JobStore, ProcessJob, RedisJobs } from './job-store.js';
import { loadBull, WORKER_OPTIONS } from './load-bull.js';

const CONNECT_WITHIN_MS = 3_000;
/** Longest that adding a wake or looking at the schedules takes. */
const COMMAND_TIMEOUT_MS = 2_000;
/** A worker's connection that owes an answer for longer than BullMQ ever blocks (10 s) leads nowhere. */
const SILENT_MS = 15_000;
/** Longest block where nothing is due, in seconds. */
const BLOCK_S = 5;
/** BullMQ tells each job's life in a stream that nobody here reads. */
const EVENTS_KEPT = 100;

/** Three connections: one for adding, one for fetching, one that BullMQ blocks. */
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
    // Whoever adds does not wait for a connection: the clock wakes by itself meanwhile.
    const adding = await connect({
      commandTimeout: COMMAND_TIMEOUT_MS,
      socketTimeout: SILENT_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
    });
    // A worker does: it has one command under way at a time, two with its lock, and gives none up.
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
      // What Redis refuses is asked again at once; a connection that is lost is waited for.
      spinsAfter: (error) => error instanceof Error && error.name === 'ReplyError',
      abandon: () => {
        // So that BullMQ, which may still be waiting for Redis, looks for stalled jobs no more and does not connect anew.
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

/** Remembers the client and those that BullMQ makes after it. */
function tracked(client: Redis, clients: Redis[]): Redis {
  clients.push(client);
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (options) => tracked(duplicate(options), clients);
  // Told by BullMQ while it listens; ioredis writes to the console where nobody does.
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
  throw new Error(`Redis is not reached: ${cause?.message ?? `no answer within ${ms} ms`}`, { cause });
}
