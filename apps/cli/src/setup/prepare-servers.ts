import { setTimeout as pause } from 'node:timers/promises';

import { DATABASE_OWNERS, type Secrets } from '@vuka/data-folder';
import { EVENT_CATALOGUE, type KafkaConnection } from '@vuka/messaging';
import { ensureAcls, ensureTopics, type TopicSettings } from '@vuka/messaging/kafka';
import { ensureServiceLogins } from '@vuka/persistence';
import { BootError, type Logger } from '@vuka/runtime';

import type { SetupSettings } from './setup-settings.js';

const PATIENCE_MS = 120_000;
const LOOK_AGAIN_MS = 1_000;

/** A schema and login for each service with data, and the topics. Can be repeated. Throws BootError. */
export async function prepareServers(settings: SetupSettings, secrets: Secrets, log: Logger): Promise<void> {
  const { database, brokers, topicPrefix, topics } = settings;
  if (database === null || brokers.length === 0)
    throw new BootError(
      'VUKA_SETUP_DATABASE_URL and VUKA_KAFKA_BROKERS must be set for this step.',
      'docs/operators/settings.md lists the settings.',
    );
  const admin = {
    host: database.host,
    port: database.port,
    user: database.user,
    password: secrets.serverPassword('postgres'),
  };
  const logins = DATABASE_OWNERS.map((name) => ({ name, password: secrets.databasePassword(name) }));
  await reached('PostgreSQL', log, () => ensureServiceLogins(admin, database.name, logins));
  log.info({ logins: logins.map(({ name }) => `vuka_${name}`) }, 'logins');
  const connection: KafkaConnection = { brokers, prefix: topicPrefix, tls: null, sasl: null };
  const reports = await reached('Kafka', log, () => ensureTopics(connection, log, topicsToMake(topics)));
  const different = reports.filter(({ outcome }) => outcome === 'differs');
  if (different.length > 0)
    log.warn(
      { topics: different },
      'some topics have other settings than Vuka needs; docs/operators/kafka.md says how to change them',
    );
  const { outcome, otherWriters } = await reached('Kafka', log, () => ensureAcls(connection, log));
  log.info({ outcome }, 'rights of topics');
  if (otherWriters.length > 0)
    log.warn({ writers: otherWriters }, 'others may write to topics too; docs/operators/kafka.md says how to see them');
}

/** If one service's topics grow, only those: the writers of the others have not stopped. */
export function topicsToMake({ grownOf, ...wanted }: SetupSettings['topics']): TopicSettings {
  if (grownOf === null) return wanted;
  const topics = Object.fromEntries(
    Object.entries(EVENT_CATALOGUE.topics).filter(([, { owner }]) => owner === grownOf),
  );
  return { ...wanted, growPartitions: true, catalogue: { ...EVENT_CATALOGUE, topics } };
}

/** A server may just be starting, so retries for two minutes. */
async function reached<T>(server: string, log: Logger, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > giveUpAt)
        throw new BootError(
          `${server}: ${(error as Error).message}`,
          'Check that it runs and accepts this login. Its own log says more.',
          { cause: error },
        );
      log.warn({ err: error, server }, 'not yet');
      await pause(LOOK_AGAIN_MS);
    }
  }
}
