import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest, describe } from '@jest/globals';
import { describeWithKafka, startLocalKafka, type LocalServer } from '@vuka/local-servers';
import type { Database } from '@vuka/persistence';
import { systemClock, WakeSignal } from '@vuka/runtime';

import { TestServer, quiet, until } from '../postgres.spec-support.js';
import { append, catalogue, clock, event } from '../event-bus.spec-support.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { ensureTopics } from './kafka-topics.js';
import { KafkaRelay, type KafkaRelayOptions } from './relay/kafka-relay.js';

let folder: string;
let server: TestServer;
let kafka: LocalServer;
let maker: Database;
const relays: KafkaRelay[] = [];

const withPrefix = (prefix: string): KafkaConnection => ({
  brokers: [`127.0.0.1:${kafka.port}`],
  prefix,
  tls: null,
  sasl: null,
});
const topics = (connection: KafkaConnection): Promise<unknown> =>
  ensureTopics(connection, quiet, { partitions: 1, replication: 1, retentionMs: 3_600_000, catalogue });
const names = async (): Promise<string[]> =>
  (await maker.query<{ name: string }>('select distinct consumer_group as name from outbox_cursors')).map(
    ({ name }) => name,
  );

/** Publishes there; counts published events. */
async function relayTo(
  connection: KafkaConnection,
  over: Partial<KafkaRelayOptions> = {},
): Promise<{ relay: KafkaRelay; published: () => number; ages: number[] }> {
  let count = 0;
  const ages: number[] = [];
  const metrics = {
    published: (events: number) => void (count += events),
    outboxAge: (ms: number) => void ages.push(ms),
    isHolder: () => undefined,
  };
  const relay = new KafkaRelay(
    { service: 'maker', db: maker, signal: new WakeSignal() },
    { connection, clientId: 'maker', log: quiet, clock, catalogue, metrics, ...over },
  );
  relays.push(relay);
  await relay.start();
  return { relay, published: () => count, ages };
}

/** With duplicates. */
async function onTopic(connection: KafkaConnection): Promise<number> {
  const admin = kafkaClient(connection, 'spec', quiet).admin();
  await admin.connect();
  try {
    return (await admin.fetchTopicOffsets(`${connection.prefix}things`)).reduce(
      (sum, { high }) => sum + Number(high),
      0,
    );
  } finally {
    await admin.disconnect();
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-destination-'));
  [server, kafka] = await Promise.all([
    TestServer.start(),
    startLocalKafka({ folder: join(folder, 'one'), log: quiet }),
  ]);
}, 120_000);
beforeEach(async () => {
  ({ maker } = await server.freshDatabases());
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
}, 30_000);
afterAll(async () => {
  await Promise.all([server.stop(), kafka.stop()]);
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describeWithKafka(describe)('the cursors of an outbox on its way to Kafka', () => {
  it('are of the prefix: under another one all is published, and under the first what came meanwhile', async () => {
    const [a, b] = [withPrefix('a.'), withPrefix('b.')];
    await Promise.all([topics(a), topics(b)]);
    await append(
      maker,
      Array.from({ length: 10 }, (_, n) => event('k', n + 1)),
    );
    const first = await relayTo(a);
    await until(() => first.published() === 10);
    await first.relay.stop();
    const other = await relayTo(b);
    await until(() => other.published() === 10);
    await append(maker, [event('k', 11), event('k', 12)]);
    await until(() => other.published() === 12);
    await other.relay.stop();
    const again = await relayTo(a);
    await until(() => again.published() === 2);
    await again.relay.stop();
    expect(await Promise.all([onTopic(a), onTopic(b)])).toEqual([12, 12]);
    expect((await names()).map((name) => name.replace(/^kafka:[^:]+:/, '')).sort()).toEqual(['a.', 'b.']);
  }, 60_000);

  it('are set back as the runbook says, under the lock of whoever publishes', async () => {
    const [, sql = ''] =
      /```sql\n([\s\S]*?)```/.exec(
        await readFile(new URL('../../../../docs/operators/kafka.md', import.meta.url), 'utf8'),
      ) ?? [];
    const to = withPrefix('c.');
    await topics(to);
    await append(
      maker,
      Array.from({ length: 40 }, (_, n) => event(`k${n}`, 1)),
    );
    clock.advance(3_600_000);
    const from = clock.now().toISOString();
    await append(
      maker,
      Array.from({ length: 5 }, (_, n) => event(`k${n}`, 2)),
    );
    const first = await relayTo(to);
    await until(() => first.published() === 45);
    const statements = sql
      .replaceAll('payments.', 'maker.')
      .replace(/'[\d-]+T[\d:]+Z'/, `'${from}'`)
      .split(';')
      .map((one) => one.trim())
      .filter((one) => !['', 'begin', 'commit'].includes(one));
    let isDone = false;
    const setBack = maker
      .inTransaction(async (tx) => {
        for (const statement of statements) await tx.query(statement);
      })
      .then(() => (isDone = true));
    await until(
      async () =>
        (await maker.query("select 1 from pg_locks where locktype = 'advisory' and not granted")).length === 1,
    );
    await append(maker, [event('late', 1)]);
    await until(() => first.published() === 46);
    expect(isDone).toBe(false);
    await first.relay.stop();
    await setBack;
    const next = await relayTo(to);
    // Buckets restart at their first such row, so older rows may come too.
    await until(() => next.published() >= 6);
    await until(async () => (await onTopic(to)) === 46 + next.published());
    expect(next.published()).toBeLessThan(46);
  }, 60_000);

  it('are of the cluster: one that was made anew at the same address is given all, and nobody has to say so', async () => {
    const to = withPrefix('d.');
    await topics(to);
    await append(maker, [event('k', 1), event('k', 2), event('k', 3)]);
    const { published } = await relayTo(to, { clusterLookMs: 200 });
    await until(() => published() === 3);
    const { port } = kafka;
    await kafka.stop();
    kafka = await startLocalKafka({ folder: join(folder, 'two'), log: quiet, port });
    await topics(to);
    await append(maker, [event('k', 4)]);
    await until(async () => (await onTopic(to)) >= 4, 30_000);
    // The cursor is stored after the acknowledgement.
    await until(async () => (await names()).length === 2, 5_000);
  }, 90_000);
});

describeWithKafka(describe)('a process whose broker takes nothing for long', () => {
  it.each([
    ['for it is not there', () => ({ ...withPrefix('e.'), brokers: ['127.0.0.1:1'] }), 'select 1'],
    ['for nobody made the topic', () => withPrefix('f.'), 'outbox_read|oldestAt'],
  ])(
    '%s, is ready all the same',
    async (_, connection, lastSaid) => {
      await append(maker, [event('k', 1)]);
      const { relay, ages } = await relayTo(connection(), { stalledAfterMs: 200 });
      const holder =
        "select 1 from pg_stat_activity where application_name = 'maker lock' and datname = current_database() and state = 'idle' and query ~ $1";
      await until(async () => (await maker.query(holder, [lastSaid])).length === 1);
      const { monotonicMs } = systemClock;
      jest.spyOn(systemClock, 'monotonicMs').mockImplementation(() => monotonicMs.call(systemClock) + 60_000);
      expect(relay.ready()).toContain('has not reached its database');
      await until(() => relay.ready() === true, 20_000);
      clock.advance(1_000);
      if (ages.length > 0) await until(() => ages.includes(1_000));
      await relay.stop();
      // The next holder reports it.
      expect(ages.at(-1) ?? 0).toBe(0);
    },
    60_000,
  );
});
