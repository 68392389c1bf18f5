import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '@vuka/runtime';
import { until } from '@vuka/testing';
import { Kafka, logLevel } from 'kafkajs';

import type { LocalServer } from '../local-server.js';
import { launchElsewhere, log } from '../local-servers.spec-support.js';
import { findKafka } from './find-kafka.js';
import { describeWithKafka, kafkaForTests } from './kafka-for-tests.js';
import { clusterAt } from './kafka-handshake.js';
import { startLocalKafka } from './local-kafka.js';

const TOPIC = 'payments.transaction.events.v1';
const START_MS = 90_000;

const clientOf = ({ host, port }: { host: string; port: number }, retries = 20): Kafka =>
  new Kafka({
    clientId: 'spec',
    brokers: [`${host}:${port}`],
    logLevel: logLevel.NOTHING,
    requestTimeout: 30_000,
    retry: { retries, maxRetryTime: 500 },
  });

async function makeTopic(server: LocalServer): Promise<void> {
  const admin = clientOf(server).admin();
  await admin.connect();
  try {
    await admin.createTopics({
      topics: [{ topic: TOPIC, numPartitions: 3, replicationFactor: 1 }],
      waitForLeaders: true,
    });
  } finally {
    await admin.disconnect();
  }
}

async function write(server: LocalServer, values: readonly string[], retries?: number): Promise<void> {
  const producer = clientOf(server, retries).producer();
  await producer.connect();
  try {
    await producer.send({ topic: TOPIC, acks: -1, messages: values.map((value) => ({ key: value, value })) });
  } finally {
    await producer.disconnect();
  }
}

/** Without duplicates, until `count` messages came and offset `upTo` is committed. */
async function read(server: LocalServer, count: number, { groupId = 'readers', upTo = count } = {}): Promise<string[]> {
  const consumer = clientOf(server).consumer({ groupId, maxWaitTimeInMs: 50 });
  const admin = clientOf(server).admin();
  const seen = new Set<string>();
  const kept = async (): Promise<number> => {
    const [topic] = await admin.fetchOffsets({ groupId, topics: [TOPIC] });
    return (topic?.partitions ?? []).reduce((sum, { offset }) => sum + Math.max(Number(offset), 0), 0);
  };
  await Promise.all([consumer.connect(), admin.connect()]);
  try {
    await consumer.subscribe({ topics: [TOPIC], fromBeginning: true });
    await consumer.run({
      autoCommitThreshold: 1,
      eachMessage: async ({ message }) => void seen.add(String(message.value)),
    });
    await until(async () => seen.size >= count && (await kept()) === upTo, {
      what: `${count} messages and their offsets`,
      withinMs: 60_000,
    });
  } finally {
    await Promise.all([consumer.disconnect(), admin.disconnect()]);
  }
  return [...seen].sort();
}

describeWithKafka(describe)('a Kafka of this machine', () => {
  let work: string;
  const started: LocalServer[] = [];
  const runningIn = new Map<string, LocalServer>();

  const start = async (name: string, port?: number): Promise<LocalServer> => {
    const server = await startLocalKafka({ folder: join(work, name), log, ...(port !== undefined && { port }) });
    started.push(server);
    runningIn.set(name, server);
    return server;
  };
  const running = (name: string): LocalServer => runningIn.get(name)!;

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-kafka-'));
    expect(await findKafka()).toMatchObject({ ok: true });
  }, 300_000);
  afterAll(async () => {
    await Promise.all(started.map((server) => server.stop()));
    await rm(work, { recursive: true, force: true });
  }, START_MS);

  it(
    'keeps topics, messages, groups and its cluster over a stop and over a kill',
    async () => {
      const first = await start('kept');
      const cluster = (): string =>
        readFileSync(join(work, 'kept/data/meta.properties'), 'utf8').match(/cluster\.id=(.+)/)?.[1] ?? '';
      const id = cluster();
      await makeTopic(first);
      await write(first, ['a', 'b', 'c']);
      expect(await read(first, 3)).toEqual(['a', 'b', 'c']);
      await first.stop();
      expect(await clusterAt(first.host, first.port)).toBeUndefined();

      const second = await start('kept');
      expect(second.port).toBe(first.port);
      await write(second, ['d']);
      expect(await read(second, 1, { upTo: 4 })).toEqual(['d']);
      await write(second, ['e']);
      process.kill(second.pid, 'SIGKILL');
      expect(await second.ended).toBe('SIGKILL');
      await second.stop();

      // A second broker, in a folder with interrupted formatting.
      await mkdir(join(work, 'other/data.unfinished'), { recursive: true });
      const [third] = await Promise.all([start('kept'), start('other')]);
      expect(await read(third, 1, { upTo: 5 })).toEqual(['e']);
      expect(await read(third, 5, { groupId: 'others' })).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(cluster()).toBe(id);
    },
    4 * START_MS,
  );

  it(
    'makes no topic that is only named, beside another broker; one at a time in a folder, also one whose formatting was cut short',
    async () => {
      // Reused, because a start takes seconds.
      const [one, other] = [running('kept'), running('other')];
      expect(one.port).not.toBe(other.port);
      expect(existsSync(join(work, 'other/data.unfinished'))).toBe(false);
      await expect(write(other, ['x'], 2)).rejects.toThrow('This server does not host this topic-partition');
      const admin = clientOf(other).admin();
      await admin.connect();
      expect((await admin.listTopics()).filter((topic) => !topic.startsWith('__'))).toEqual([]);
      await admin.disconnect();
      await expect(startLocalKafka({ folder: join(work, 'kept'), log })).rejects.toThrow(
        `is in use by process ${process.pid}`,
      );
      await Promise.all([one.stop(), other.stop()]);
      // Another broker has its port now.
      const next = await start('kept', other.port);
      await expect(start('other', next.port)).rejects.toThrow(`port ${next.port} is taken`);
      const elsewhere = await start('other');
      expect(elsewhere.port).not.toBe(next.port);
      await Promise.all([next.stop(), elsewhere.stop()]);
    },
    4 * START_MS,
  );

  it(
    'ends the broker that a killed run left behind, and takes its data',
    async () => {
      const folder = join(work, 'other');
      const { launcher, serverPid } = await launchElsewhere(work, 'startLocalKafka', folder);
      launcher.kill('SIGKILL');
      await once(launcher, 'exit');
      expect(identifyProcess(serverPid)?.commandLine).toContain(folder);
      const next = await start('other');
      expect(identifyProcess(serverPid)).toBeUndefined();
      expect(next.pid).not.toBe(serverPid);
      await next.stop();
    },
    3 * START_MS,
  );
});

describeWithKafka(describe, 'mock')('the Kafka of tests', () => {
  it(
    'is one broker with a prefix for each that asks, and gone when it is stopped',
    async () => {
      const kafka = await kafkaForTests();
      const again = await kafkaForTests({ ...process.env, VUKA_TEST_KAFKA_URL: kafka.brokers[0] });
      expect(again.brokers).toEqual(kafka.brokers);
      expect(again.prefix).not.toBe(kafka.prefix);
      const [host = '', port = ''] = (kafka.brokers[0] ?? '').split(':');
      await again.stop();
      expect(await clusterAt(host, Number(port))).toBeDefined();
      const own = process.env['VUKA_TEST_KAFKA_URL'] === undefined;
      await kafka.stop();
      expect((await clusterAt(host, Number(port))) === undefined).toBe(own);
    },
    START_MS,
  );
});
