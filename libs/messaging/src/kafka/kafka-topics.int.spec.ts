import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithKafka } from '@vuka/local-servers';
import { z } from 'zod';

import type { EventCatalogue } from '../envelope.js';
import { quiet } from '../postgres.spec-support.js';
import { listening } from '../event-bus.spec-support.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { ensureTopics, type TopicSettings } from './kafka-topics.js';
import { sharedBroker, type SpecBroker } from './kafka.spec-support.js';

const catalogue: EventCatalogue = {
  events: { 'thing.made': { topic: 'things', version: 1, data: z.object({}) } },
  topics: { things: { owner: 'maker', consumers: ['taker'] }, others: { owner: 'maker', consumers: [] } },
};
const wanted: TopicSettings = { partitions: 3, replication: 1, retentionMs: 86_400_000, catalogue };

let broker: SpecBroker;
beforeAll(async () => {
  broker = await sharedBroker();
}, 120_000);
afterAll(() => broker.stop(), 60_000);

async function partitionsOf(connection: KafkaConnection, topic: string): Promise<number> {
  const admin = kafkaClient(connection, 'test', quiet).admin();
  await admin.connect();
  try {
    return (await admin.fetchTopicMetadata({ topics: [`${connection.prefix}${topic}`] })).topics[0]!.partitions.length;
  } finally {
    await admin.disconnect();
  }
}

describeWithKafka(describe)('the topics of a deployment', () => {
  it('are made where they are missing, and left where they are there', async () => {
    const connection = broker.freshConnection();
    const of = (outcome: string): object[] =>
      ['things', 'others'].map((name) => ({ topic: `${connection.prefix}${name}`, outcome, differences: [] }));
    expect(await ensureTopics(connection, quiet, wanted)).toEqual(of('created'));
    expect(await ensureTopics(connection, quiet, wanted)).toEqual(of('as_wanted'));
    expect(await partitionsOf(connection, 'things')).toBe(3);
  });

  it('may be made by several at once', async () => {
    const connection = broker.freshConnection();
    const reports = await Promise.all([1, 2, 3, 4].map(() => ensureTopics(connection, quiet, wanted)));
    expect(reports.flat().every(({ differences }) => differences.length === 0)).toBe(true);
    for (const name of ['things', 'others']) {
      const made = reports.flat().filter(({ topic, outcome }) => topic.endsWith(name) && outcome === 'created');
      expect(made).toHaveLength(1);
    }
  });

  it('that differ are told of and not touched', async () => {
    const connection = broker.freshConnection();
    await ensureTopics(connection, quiet, wanted);
    const { log, said } = listening();
    const [things] = await ensureTopics(connection, log, {
      ...wanted,
      partitions: 6,
      replication: 2,
      retentionMs: 1_000,
    });
    expect(things).toEqual({
      topic: `${connection.prefix}things`,
      outcome: 'differs',
      differences: [
        expect.stringMatching(/^3 partitions instead of 6: Vuka does not change this/),
        expect.stringMatching(/^1 copies instead of 2/),
        'retention.ms is 86400000 instead of 1000',
        'min.insync.replicas is 1 instead of 2',
      ],
    });
    expect(said.filter(({ level }) => level === 'warn')).toHaveLength(2);
    const [fewer] = await ensureTopics(connection, quiet, { ...wanted, partitions: 2 });
    expect(fewer?.differences).toEqual(['3 partitions instead of 2: a topic cannot shrink']);
    expect(await partitionsOf(connection, 'things')).toBe(3);
  });

  it('get more partitions when somebody says so, and then have them', async () => {
    const connection = broker.freshConnection();
    await ensureTopics(connection, quiet, wanted);
    const grown = await ensureTopics(connection, quiet, { ...wanted, partitions: 5, growPartitions: true });
    expect(grown.map(({ outcome }) => outcome)).toEqual(['grown', 'grown']);
    expect(await partitionsOf(connection, 'things')).toBe(5);
    const again = await ensureTopics(connection, quiet, { ...wanted, partitions: 4, growPartitions: true });
    expect(again.map(({ differences }) => differences)).toEqual([
      ['5 partitions instead of 4: a topic cannot shrink'],
      ['5 partitions instead of 4: a topic cannot shrink'],
    ]);
  });

  it('cannot be ensured where nobody is, which is said and not waited for', async () => {
    const nobody = { ...broker.freshConnection(), brokers: ['127.0.0.1:1'] };
    await expect(ensureTopics(nobody, quiet, wanted)).rejects.toThrow(/ECONNREFUSED/);
  });

  it('cannot be had with more copies than there are brokers, which is an error and no topic', async () => {
    const connection = broker.freshConnection();
    await expect(ensureTopics(connection, quiet, { ...wanted, replication: 2 })).rejects.toThrow(
      /does not make the topic .*replica/i,
    );
    expect((await ensureTopics(connection, quiet, wanted)).map(({ outcome }) => outcome)).toEqual([
      'created',
      'created',
    ]);
  });
});
