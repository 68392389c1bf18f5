import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithRedis, startLocalRedis, type LocalRedis } from '@vuka/local-servers';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';
import { Redis } from 'ioredis';

import { JobClock, type WakeReason } from './job-clock.js';
import type { JobStore, RedisJobs } from './job-store.js';
import { openJobStore } from './open-job-store.js';
import { QUEUES, type QueueName } from './queues.js';

const POLL = 'payments.poll-payouts';
/** Long, so no wake is a tick. */
const HOURLY = 'payments.make-partitions';
const OFTEN = 'every-1000';
const SELDOM = 'every-3600000';
const WAKES = 'payments.wakes';
/** Shortens the clock's own waits, but not its waits for Redis. */
const HASTE = 5;
const INTERVAL_MS = QUEUES[POLL].everyMs / HASTE;
const silent = createLogger('test', { level: 'silent' });

let folder: string;
let server: LocalRedis;
let starts = 0;
let redis: Redis;
const running: JobClock[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-redis-jobs-'));
  server = await startEmpty();
  redis = new Redis(server.url, { retryStrategy: () => 50 });
  redis.on('error', () => undefined);
}, 120_000);
beforeEach(() => redis.flushall());
afterEach(() => Promise.all(running.splice(0).map((clock) => clock.stop())));
afterAll(async () => {
  redis.disconnect();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function startEmpty(port?: number): Promise<LocalRedis> {
  starts += 1;
  return startLocalRedis({ folder: join(folder, String(starts)), log: silent, ...(port !== undefined && { port }) });
}

const connection = (): RedisJobs => ({ kind: 'redis', connection: { url: server.url, prefix: 'test:' } });

interface OneProcess {
  readonly clock: JobClock;
  readonly lines: string[];
  wakes(queue: QueueName, reason?: WakeReason): number[];
  said(text: string): number;
}

/** Not yet started. */
function processOf(queues: readonly QueueName[] = [POLL, HOURLY], where: RedisJobs = connection()): OneProcess {
  const lines: string[] = [];
  const log = createLogger('test', { destination: { write: (line: string) => void lines.push(line) } });
  const clock = new JobClock({ connection: where, log, queue: WAKES, haste: HASTE });
  running.push(clock);
  const woken: { queue: QueueName; reason: WakeReason; at: number }[] = [];
  for (const queue of queues) clock.every(queue, (reason) => void woken.push({ queue, reason, at: Date.now() }));
  const wakes = (queue: QueueName, reason?: WakeReason): number[] =>
    woken
      .filter((wake) => wake.queue === queue && (reason === undefined || wake.reason === reason))
      .map(({ at }) => at);
  return { clock, lines, wakes, said: (text) => lines.filter((line) => line.includes(text)).length };
}

async function started(...processes: OneProcess[]): Promise<void> {
  for (const one of processes) await one.clock.start();
}

const count = (queue: QueueName, ...processes: OneProcess[]): number =>
  processes.reduce((sum, one) => sum + one.wakes(queue).length, 0);
const schedules = (): Promise<string[]> => redis.zrange(`test:jobs:${WAKES}:repeat`, 0, -1);
function noConnectionIsLeft(): Promise<unknown> {
  const open = async (): Promise<number> =>
    String(await redis.client('LIST'))
      .split('\n')
      .filter((line) => /name=(vuka-jobs|test:jobs)/.test(line)).length;
  return until(async () => (await open()) === 0, { withinMs: 5_000, what: 'no connection to be left' });
}
const nextTick = async (): Promise<number> => Number(await redis.zscore(`test:jobs:${WAKES}:repeat`, OFTEN));
async function scheduleRuns(): Promise<void> {
  const seen = new Set<number>();
  await until(async () => seen.add(await nextTick()).size >= 4, {
    withinMs: 5_000,
    what: 'the schedule to move on three times',
  });
}
const delayed = (): Promise<string[]> => redis.zrange(`test:jobs:${WAKES}:delayed`, 0, -1);
const more = (queue: QueueName, wakes: number, withinMs: number, ...processes: OneProcess[]): Promise<unknown> => {
  const before = count(queue, ...processes);
  return until(() => count(queue, ...processes) >= before + wakes, {
    withinMs,
    what: `${String(wakes)} more wakes of ${queue}`,
  });
};

describeWithRedis(describe)('two processes on one queue in Redis', () => {
  it('share the ticks of one schedule, and restore nothing that works', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    const began = Date.now();
    await more(POLL, 8, 8_000, a, b);
    const intervals = (Date.now() - began) / INTERVAL_MS;
    process.stdout.write(
      `wakes in ${intervals.toFixed(1)} intervals: ${String(a.wakes(POLL).length)} and ${String(b.wakes(POLL).length)}\n`,
    );
    // One tick each, plus wakes of processes passed over three times. Without sharing: two.
    expect(8 / intervals).toBeLessThan(1.6);
    await scheduleRuns();
    expect((await schedules()).sort()).toEqual([OFTEN, SELDOM]);
    expect((await delayed()).filter((id) => id.includes(OFTEN)).length).toBeLessThanOrEqual(1);
    expect([...a.lines, ...b.lines]).toEqual([]);
  }, 30_000);

  it('wake one of them once for a requested wake, and tell it apart from a tick', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    const at = new Date(Date.now() + 500);
    await Promise.all(Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? a : b).clock.wakeAt(HOURLY, at)));
    const alarms = (): number[] => [...a.wakes(HOURLY, 'alarm'), ...b.wakes(HOURLY, 'alarm')];
    await until(() => alarms().length > 0, { withinMs: 3_000, what: 'the alarm' });
    await more(POLL, 2, 5_000, a, b);
    expect(alarms()).toHaveLength(1);
    expect(alarms()[0]).toBeGreaterThanOrEqual(at.getTime());
    expect(alarms()[0]).toBeLessThan(at.getTime() + 500);
    expect([...a.wakes(POLL, 'alarm'), ...b.wakes(POLL, 'alarm')]).toEqual([]);
  }, 30_000);

  it('have an alarm arrive though the one who asked for it is gone', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    await a.clock.wakeAt(HOURLY, new Date(Date.now() + 800));
    await until(async () => (await delayed()).some((id) => id.includes('.at.')), {
      withinMs: 1_000,
      what: 'the alarm in Redis',
    });
    await a.clock.stop();
    await until(() => b.wakes(HOURLY, 'alarm').length === 1, {
      withinMs: 5_000,
      what: 'the alarm in the other process',
    });
  }, 30_000);

  it('go on when one stops, and when one dies with a wake in its hands', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    await more(POLL, 2, 5_000, a, b);
    const dead = await diesInHand();
    await a.clock.stop();
    await more(POLL, 3, 8_000, b);
    expect((await schedules()).sort()).toEqual([OFTEN, SELDOM]);
    expect(b.said('does not answer')).toBe(0);
    await dead.worker.close(true);
  }, 30_000);

  it('of which one is of a release that knows fewer intervals lose no schedule for long', async () => {
    const newer = processOf();
    await started(newer);
    const older = processOf([POLL]);
    await started(older);
    expect(await schedules()).toEqual([OFTEN]);
    await until(async () => (await schedules()).includes(SELDOM), {
      withinMs: 5_000,
      what: 'the schedule of the newer release',
    });
    await older.clock.stop();
    await newer.clock.stop();
    expect(newer.said('"schedule":"every-3600000","state":"gone"')).toBe(1);
  }, 30_000);

  it('forget a schedule that none of them has, which was put back after they had started', async () => {
    const hasty = new JobClock({ connection: connection(), log: silent, queue: WAKES, haste: 40 });
    running.push(hasty);
    hasty.every('payments.make-partitions', () => undefined);
    await hasty.start();
    const { queue, worker, abandon } = await openJobStore(connection(), WAKES, async () => undefined);
    await worker.waitUntilReady();
    await queue.upsertJobScheduler('payments.make-partitions', { every: 100 }, { name: 'payments.make-partitions' });
    await until(async () => (await schedules()).join() === SELDOM, {
      withinMs: 5_000,
      what: 'that schedule to be forgotten',
    });
    await Promise.all([queue.close(), worker.close()]);
    abandon();
  }, 30_000);

  it('leave the schedules of other services alone', async () => {
    const other = new JobClock({ connection: connection(), log: silent, queue: 'notifier.wakes' });
    running.push(other);
    other.every('notifier.deliver-webhooks', () => undefined);
    await other.start();
    await started(processOf());
    expect(await redis.zrange('test:jobs:notifier.wakes:repeat', 0, -1)).toEqual([OFTEN]);
    expect((await redis.keys('*')).filter((key) => !key.startsWith('test:jobs:'))).toEqual([]);
  }, 30_000);
});

/** Takes a wake and dies: its connections are cut, its job stays taken. */
async function diesInHand(): Promise<JobStore> {
  let taken = false;
  const store = await openJobStore(connection(), WAKES, () => {
    taken = true;
    return new Promise(() => undefined);
  });
  store.queue.on('error', () => undefined);
  store.worker.on('error', () => undefined);
  store.worker.run().catch(() => undefined);
  await until(() => taken, { withinMs: 10_000, what: 'a wake in the hands of the one who dies' });
  store.abandon();
  return store;
}

describeWithRedis(describe)('a Redis in trouble', () => {
  it('that is flushed has its schedules put back within seconds, and costs no alarm', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    await more(POLL, 2, 5_000, a, b);
    const alarmAt = Date.now() + 1_800;
    await a.clock.wakeAt(POLL, new Date(alarmAt));
    await redis.flushall();
    const began = Date.now();
    await until(async () => (await schedules()).length === 2, { withinMs: 2_000, what: 'both schedules' });
    process.stdout.write(`schedules back ${String(Date.now() - began)} ms after the flush\n`);
    await scheduleRuns();
    await until(() => a.wakes(POLL, 'alarm').some((at) => at >= alarmAt), {
      withinMs: 8_000,
      what: 'the alarm, by the one who asked for it',
    });
    expect(a.said('does not answer') + b.said('does not answer')).toBe(0);
  }, 30_000);

  it('that is flushed costs no alarm where another process has put the schedules back', async () => {
    const [a, b] = [processOf(), processOf()];
    await started(a, b);
    const alarmAt = Date.now() + 1_800;
    await a.clock.wakeAt(POLL, new Date(alarmAt));
    await until(async () => (await delayed()).some((id) => id.includes('.at.')), {
      withinMs: 1_000,
      what: 'the alarm in the store',
    });
    const kept = await redis.keys(`test:jobs:${WAKES}:repeat*`);
    const rest = (await redis.keys('*')).filter((key) => !kept.includes(key) && /\.at\./.test(key));
    await redis.del(...rest);
    await redis.zrem(`test:jobs:${WAKES}:delayed`, ...(await delayed()).filter((id) => id.includes('.at.')));
    await until(() => a.wakes(POLL, 'alarm').some((at) => at >= alarmAt), {
      withinMs: 5_000,
      what: 'the alarm, by the one who asked for it',
    });
  }, 30_000);

  it('that is frozen is said once each way, costs no wakes, keeps no clock from stopping within two seconds, and fails a start within seconds', async () => {
    const [a, stopping, late] = [processOf(), processOf(), processOf()];
    await started(a, stopping);
    await more(POLL, 2, 5_000, a, stopping);
    process.kill(server.pid, 'SIGSTOP');
    const frozenAt = Date.now();
    try {
      const refused = expect(late.clock.start()).rejects.toThrow(/Redis cannot be reached/);
      const stopped = stopping.clock.stop().then(() => Date.now() - frozenAt);
      await until(() => a.said('does not answer') === 1, { withinMs: 6_000, what: 'the log to say so' });
      expect(a.wakes(POLL).filter((at) => at > frozenAt + 100).length).toBeGreaterThanOrEqual(1);
      const alarmAt = Date.now() + 300;
      await a.clock.wakeAt(POLL, new Date(alarmAt));
      await until(() => a.wakes(POLL, 'alarm').some((at) => at >= alarmAt), {
        withinMs: 1_000,
        what: 'an alarm while Redis is frozen',
      });
      expect(await stopped).toBeLessThan(2_100);
      await refused;
      expect(Date.now() - frozenAt).toBeLessThan(5_000);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    await until(() => a.said('answers again') === 1, { withinMs: 10_000, what: 'Redis to be back' });
    await scheduleRuns();
    expect(a.said('does not answer')).toBe(1);
    await Promise.all([a.clock.stop(), late.clock.stop()]);
    running.splice(0);
    await noConnectionIsLeft();
  }, 40_000);

  it('that is gone and comes back empty is said once each way, costs no processor and no wakes, and keeps no clock from stopping within two seconds', async () => {
    const [a, b, stopping] = [processOf(), processOf(), processOf()];
    await started(a, b, stopping);
    await more(POLL, 2, 5_000, a, b);
    await server.stop();
    const cpu = process.cpuUsage();
    const goneAt = performance.now();
    const stopped = stopping.clock.stop().then(() => performance.now() - goneAt);
    await more(POLL, 3, 8_000, a);
    await more(POLL, 1, 8_000, b);
    expect(await stopped).toBeLessThan(2_100);
    const { user, system } = process.cpuUsage(cpu);
    const goneMs = performance.now() - goneAt;
    process.stdout.write(
      `job clocks, processor in ${goneMs.toFixed(0)} ms without Redis: ${String(Math.round((user + system) / 1_000))} ms\n`,
    );
    // A looping worker would use all of it.
    expect((user + system) / 1_000).toBeLessThan(0.4 * goneMs);
    server = await startEmpty(server.port);
    await until(() => a.said('answers again') + b.said('answers again') === 2, {
      withinMs: 15_000,
      what: 'both to say that Redis is back',
    });
    await until(async () => (await schedules()).length === 2, { withinMs: 5_000, what: 'both schedules' });
    await scheduleRuns();
    expect([a.said('does not answer'), b.said('does not answer')]).toEqual([1, 1]);
    await Promise.all([a.clock.stop(), b.clock.stop()]);
    running.splice(0);
    await noConnectionIsLeft();
  }, 60_000);
});

describeWithRedis(describe)('a start', () => {
  it('fails within seconds where Redis cannot be reached, without telling the password; wakes come all the same, and it may be tried again', async () => {
    const { port } = server;
    await server.stop();
    const url = `redis://vuka:verysecret@127.0.0.1:${String(port)}`;
    const a = processOf([POLL], { kind: 'redis', connection: { url, prefix: 'test:' } });
    const began = performance.now();
    await expect(a.clock.start()).rejects.toThrow(/Redis cannot be reached: .*ECONNREFUSED/);
    expect(performance.now() - began).toBeLessThan(5_000);
    await more(POLL, 2, 5_000, a);
    server = await startEmpty(port);
    await redis.ping();
    await expect(a.clock.start()).rejects.toThrow(/WRONGPASS/);
    await redis.call('ACL', 'SETUSER', 'vuka', 'on', '>verysecret', '~*', '&*', '+@all');
    await a.clock.start();
    await more(POLL, 3, 8_000, a);
    await until(() => a.said('answers again') === 1, { withinMs: 5_000, what: 'the log to say so' });
    expect(a.said('does not answer')).toBe(1);
    expect(a.lines.join('')).not.toContain('verysecret');
    await redis.call('ACL', 'DELUSER', 'vuka');
  }, 40_000);

  it('has every queue of the catalogue woken, and again after a restart', async () => {
    for (let round = 0; round < 2; round += 1) {
      const a = processOf(Object.keys(QUEUES) as QueueName[]);
      await started(a);
      for (const queue of Object.keys(QUEUES) as QueueName[]) expect(a.wakes(queue).length).toBeGreaterThanOrEqual(1);
      await more(POLL, 3, 5_000, a);
      await a.clock.stop();
    }
  }, 30_000);
});
