import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '@vuka/runtime';
import { Redis } from 'ioredis';

import { describeWithRedis } from '../kafka/kafka-for-tests.js';
import { launchElsewhere, log } from '../local-servers.spec-support.js';
import { findRedis } from './find-redis.js';
import { startLocalRedis, type LocalRedis } from './local-redis.js';

const PASSWORD = 'a "quoted" \\ one @:/';

async function ask<T>({ url }: Pick<LocalRedis, 'url'>, question: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => null });
  redis.on('error', () => undefined);
  try {
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

describeWithRedis(describe)('a Redis of this machine', () => {
  let work: string;
  const started: LocalRedis[] = [];

  const start = async (name: string, more: { password?: string; port?: number } = {}): Promise<LocalRedis> => {
    const server = await startLocalRedis({ folder: join(work, name), log, ...more });
    started.push(server);
    return server;
  };

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-redis-'));
    expect(await findRedis()).toMatchObject({ ok: true });
  }, 300_000);
  afterAll(async () => {
    await Promise.all(started.map((server) => server.stop()));
    await rm(work, { recursive: true, force: true });
  }, 60_000);

  it('keeps what it holds over a stop and a kill, and its port', async () => {
    const first = await start('kept');
    await ask(first, (redis) => redis.set('a', '1'));
    await first.stop();
    await expect(ask(first, (redis) => redis.get('a'))).rejects.toThrow();
    const second = await start('kept');
    expect(second.port).toBe(first.port);
    expect(await ask(second, (redis) => redis.get('a'))).toBe('1');
    process.kill(second.pid, 'SIGKILL');
    expect(await second.ended).toBe('SIGKILL');
    await second.stop();
    const third = await start('kept');
    expect(await ask(third, (redis) => redis.get('a'))).toBe('1');
    await third.stop();
  }, 60_000);

  it('is set up for queues: nothing is evicted, the log is synced every second', async () => {
    const server = await start('queues');
    const setting = async (name: string): Promise<unknown> =>
      ((await ask(server, (redis) => redis.config('GET', name))) as string[])[1];
    expect(await setting('maxmemory-policy')).toBe('noeviction');
    expect([await setting('appendonly'), await setting('appendfsync'), await setting('bind')]).toEqual([
      'yes',
      'everysec',
      '127.0.0.1',
    ]);
    await server.stop();
  }, 60_000);

  it('asks for its password, whatever is in it, and keeps it out of its command line', async () => {
    const server = await start('shut', { password: PASSWORD });
    expect(await ask(server, (redis) => redis.ping())).toBe('PONG');
    await expect(ask({ url: `redis://127.0.0.1:${server.port}` }, (redis) => redis.ping())).rejects.toThrow('NOAUTH');
    expect(identifyProcess(server.pid)?.commandLine).not.toContain('quoted');
    await server.stop();
  }, 60_000);

  it('runs two at once, and one at a time in a folder', async () => {
    const [one, other] = await Promise.all([start('one'), start('other')]);
    await ask(one, (redis) => redis.set('where', 'one'));
    expect(await ask(other, (redis) => redis.get('where'))).toBeNull();
    await expect(startLocalRedis({ folder: join(work, 'one'), log })).rejects.toThrow(
      `is in use by process ${process.pid}`,
    );
    await expect(start('third', { port: one.port })).rejects.toThrow(`port ${one.port} is taken`);
    await Promise.all([one.stop(), other.stop()]);
  }, 60_000);

  it('ends the server that a killed run left behind, also a paused one, and takes its data', async () => {
    const folder = join(work, 'orphaned');
    const { launcher, serverPid } = await launchElsewhere(work, 'startLocalRedis', folder);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    expect(identifyProcess(serverPid)?.commandLine).toContain(folder);
    process.kill(serverPid, 'SIGSTOP');
    const next = await start('orphaned');
    expect(identifyProcess(serverPid)).toBeUndefined();
    expect(await ask(next, (redis) => redis.ping())).toBe('PONG');
    await next.stop();
  }, 60_000);
});
