import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@vuka/persistence';
import { bringCluster } from '@vuka/persistence/test-postgres';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { JobClock } from './job-clock.js';
import type { JobConnection } from './job-store.js';
import { openJobStore } from './open-job-store.js';
import { QUEUES, type QueueName } from './queues.js';

const quiet = createLogger('test', { level: 'silent' });
let folder: string;
let server: EmbeddedPostgres;
const clocks: JobClock[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-jobs-'));
  await bringCluster(folder);
  server = await startEmbeddedPostgres({ folder, durable: false, log: quiet });
}, 60_000);
afterEach(async () => {
  await Promise.all(clocks.splice(0).map((clock) => clock.stop()));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

function connectionTo(schema: string): JobConnection {
  const { host, port, user, password } = server;
  return {
    kind: 'postgres',
    connectionString: `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/postgres`,
    schema,
  };
}

function clockOn(schema: string, log = quiet): JobClock {
  const clock = new JobClock({ connection: connectionTo(schema), log, haste: 4 });
  clocks.push(clock);
  return clock;
}

async function schedulesIn(schema: string): Promise<string[]> {
  const { queue, worker } = await openJobStore(connectionTo(schema), 'wakes', async () => undefined);
  await worker.waitUntilReady();
  const schedules = await queue.getJobSchedulers();
  await Promise.all([queue.close(), worker.close()]);
  return schedules.map(({ key }) => key).sort();
}

describe('the job clock', () => {
  it('wakes every queue at the start and again by its interval, after a restart too', async () => {
    for (let round = 0; round < 2; round += 1) {
      const clock = clockOn('jobs_intervals');
      const wakes = new Map<string, number>();
      for (const name of Object.keys(QUEUES) as QueueName[])
        clock.every(name, () => void wakes.set(name, (wakes.get(name) ?? 0) + 1));
      const began = performance.now();
      await clock.start();
      process.stdout.write(`job clock, start ${round + 1}: ${Math.round(performance.now() - began)} ms\n`);
      expect(wakes.size).toBe(Object.keys(QUEUES).length);
      await until(() => (wakes.get('payments.poll-payouts') ?? 0) >= 3, {
        withinMs: 5_000,
        what: 'three ticks of the polls',
      });
      await clock.stop();
    }
  }, 30_000);

  it('wakes once for many calls of one moment, not before it', async () => {
    const clock = clockOn('jobs_moments');
    const at = new Date(Date.now() + 1_500);
    const wakes: number[] = [];
    // Long, so no wake is a tick.
    clock.every('notifier.make-partitions', () => void wakes.push(Date.now()));
    await clock.start();
    await until(() => wakes.length >= 1, { withinMs: 2_000, what: 'the first wake' });
    const before = wakes.filter((wake) => wake < at.getTime()).length;
    await Promise.all(Array.from({ length: 100 }, () => clock.wakeAt('notifier.make-partitions', at)));
    await until(() => wakes.some((wake) => wake >= at.getTime()), {
      withinMs: 5_000,
      what: 'a wake at the time asked for',
    });
    await clock.wakeAt('notifier.make-partitions', new Date(Date.now() + 300));
    const seen = wakes.length;
    await until(() => wakes.length > seen, { withinMs: 5_000, what: 'another wake' });
    expect(wakes.filter((wake) => wake >= at.getTime())).toHaveLength(2);
    expect(before).toBeLessThanOrEqual(2);
  }, 30_000);

  it('has one schedule for all queues of an interval, and removes schedules of removed intervals', async () => {
    const first = clockOn('jobs_forgotten');
    first.every('payments.stale-alerts', () => undefined);
    first.every('payments.poll-payouts', () => undefined);
    first.every('payments.submit-payouts', () => undefined);
    await first.start();
    expect(await schedulesIn('jobs_forgotten')).toEqual(['every-1000', 'every-60000']);
    await first.stop();
    const second = clockOn('jobs_forgotten');
    second.every('payments.submit-payouts', () => undefined);
    await second.start();
    expect(await schedulesIn('jobs_forgotten')).toEqual(['every-1000']);
  }, 30_000);

  it('fails to start where the store is not reached', async () => {
    const clock = new JobClock({
      connection: { kind: 'postgres', connectionString: 'postgres://nobody:x@127.0.0.1:1/none', schema: 'jobs' },
      log: quiet,
    });
    await expect(clock.start()).rejects.toThrow();
  }, 30_000);

  it('continues by itself while the store is away, logs it once, and restores its schedules', async () => {
    const lines: string[] = [];
    const log = createLogger('test', {
      level: 'info',
      destination: { write: (line: string) => void lines.push(line) },
    });
    const clock = clockOn('jobs_outage', log);
    let wakes = 0;
    clock.every('payments.poll-payouts', () => void (wakes += 1));
    await clock.start();
    await until(() => wakes >= 3, { withinMs: 5_000, what: 'three wakes' });
    const { port } = server;
    await server.stop();
    const cpu = process.cpuUsage();
    const atStop = wakes;
    await until(() => wakes >= atStop + 2, { withinMs: 15_000, what: 'wakes without a store' });
    const used = process.cpuUsage(cpu);
    process.stdout.write(`job clock, processor in the outage: ${Math.round((used.user + used.system) / 1_000)} ms\n`);
    server = await startEmbeddedPostgres({ folder, port, durable: false, log: quiet });
    await until(() => lines.some((line) => line.includes('answers again')), {
      withinMs: 20_000,
      what: 'the log to say that the store is back',
    });
    const atReturn = wakes;
    await until(() => wakes >= atReturn + 3, { withinMs: 5_000, what: 'wakes by the store again' });
    expect(lines.filter((line) => line.includes('does not answer'))).toHaveLength(1);
  }, 90_000);

  it('stops within two seconds though the database is away', async () => {
    const clock = clockOn('jobs_stop');
    clock.every('payments.poll-payouts', () => undefined);
    await clock.start();
    const { port } = server;
    await server.stop();
    const began = performance.now();
    await clock.stop();
    expect(performance.now() - began).toBeLessThan(4_000);
    server = await startEmbeddedPostgres({ folder, port, durable: false, log: quiet });
  }, 60_000);
});
