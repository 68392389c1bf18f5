import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithKafka, startLocalKafka, type LocalServer } from '@vuka/local-servers';

import { catalogue } from '../event-bus.spec-support.js';
import { quiet } from '../postgres.spec-support.js';
import { ensureAcls } from './kafka-acls.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { ensureTopics } from './kafka-topics.js';

const TOPICS = { partitions: 1, replication: 1, retentionMs: 3_600_000, catalogue };
/** The suite comes without a login; so do the broker and its controller. */
const AUTHORIZER = {
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  'super.users': 'User:ANONYMOUS',
};

let folder: string;
let server: LocalServer | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-kafka-acls-'));
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

async function brokerWith(settings: Readonly<Record<string, string>>): Promise<KafkaConnection> {
  await server?.stop();
  server = await startLocalKafka({ folder: join(folder, String(Object.keys(settings).length)), log: quiet, settings });
  return { brokers: [`${server.host}:${server.port}`], prefix: 't.', tls: null, sasl: null };
}

describeWithKafka(describe)('the rights of topics', () => {
  it('are made on a cluster with an authorizer, once, and others who may write are told', async () => {
    const connection = await brokerWith(AUTHORIZER);
    await ensureTopics(connection, quiet, TOPICS);
    expect(await ensureAcls(connection, quiet, catalogue)).toEqual({ outcome: 'made', otherWriters: [] });
    expect(await ensureAcls(connection, quiet, catalogue)).toEqual({ outcome: 'made', otherWriters: [] });
    const admin = kafkaClient(connection, 'spec', quiet).admin();
    await admin.connect();
    try {
      const { resources } = await admin.describeAcls({
        resourceType: 1,
        resourcePatternType: 1,
        operation: 1,
        permissionType: 1,
      });
      const rights = resources.flatMap(({ resourceName, acls }) =>
        acls.map(({ principal, operation }) => `${resourceName} ${principal} ${operation}`),
      );
      expect(rights.sort()).toEqual(
        ['other User:vuka_other 3', 'other User:vuka_other 8', 'taker User:vuka_taker 3', 'taker User:vuka_taker 8']
          .concat(
            ['maker 4', 'maker 8', 'other 3', 'other 8', 'taker 3', 'taker 8'].map((one) => `things User:vuka_${one}`),
          )
          .map((one) => `t.${one}`)
          .sort(),
      );
      await admin.createAcls({
        acl: [{ resourceType: 2, resourceName: 't.', resourcePatternType: 4, principal: 'User:mallory', host: '*', operation: 2, permissionType: 3 }],
      }); // prettier-ignore
    } finally {
      await admin.disconnect();
    }
    expect((await ensureAcls(connection, quiet, catalogue)).otherWriters).toEqual(['t.things User:mallory']);
  }, 120_000);

  it('are left out on a cluster that has none', async () => {
    const connection = await brokerWith({});
    expect(await ensureAcls(connection, quiet, catalogue)).toEqual({ outcome: 'no_authorizer', otherWriters: [] });
  }, 120_000);
});
