import { type Logger, WakeSignal } from '@vuka/runtime';
import type { Admin, ConfigResourceTypes } from 'kafkajs';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import { kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';

/** Node cannot import this enum from the CommonJS package. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2;

export interface TopicSettings {
  readonly partitions: number;
  /** From 2 on, a write needs two replicas (`min.insync.replicas`). */
  readonly replication: number;
  /** Longer than any consumer outage: older events are deleted, read or not. */
  readonly retentionMs: number;
  /** Default: libs/contracts. */
  readonly catalogue?: EventCatalogue;
  /**
   * Adds missing partitions. Only when groups have read everything and nothing is written: keys change partition, and
   * partitions have no common order.
   */
  readonly growPartitions?: boolean;
}

export interface TopicReport {
  /** With prefix. */
  readonly topic: string;
  readonly outcome: 'created' | 'grown' | 'as_wanted' | 'differs';
  readonly differences: readonly string[];
}

interface Found {
  readonly partitions: number;
  /** Lowest over all partitions. */
  readonly replication: number;
  readonly config: Readonly<Record<string, string | null>>;
}

const KNOWN_WITHIN_MS = 15_000;
const LOOK_AGAIN_MS = 100;
const CREATE_TIMEOUT_MS = 10_000;

/**
 * Creates missing topics, reports differences, and changes nothing else without growPartitions. May be repeated or
 * run in parallel. Throws if no broker answers or one refuses.
 */
export async function ensureTopics(
  connection: KafkaConnection,
  log: Logger,
  settings: TopicSettings,
): Promise<TopicReport[]> {
  const admin = kafkaClient(connection, 'vuka-topics', log).admin();
  await admin.connect();
  try {
    const reports: TopicReport[] = [];
    // kafkajs gives one error for several.
    for (const name of Object.keys((settings.catalogue ?? EVENT_CATALOGUE).topics)) {
      const report = await ensureTopic(admin, brokerName(connection, name), settings);
      if (report.outcome === 'differs')
        log.warn(
          { topic: report.topic, differences: report.differences },
          'a topic has other settings than Vuka needs; nothing was changed',
        );
      else log.info({ topic: report.topic, outcome: report.outcome }, 'topic');
      reports.push(report);
    }
    return reports;
  } finally {
    await admin.disconnect();
  }
}

async function ensureTopic(admin: Admin, topic: string, settings: TopicSettings): Promise<TopicReport> {
  const isThere = (await admin.listTopics()).includes(topic);
  const isMade = !isThere && (await create(admin, topic, settings));
  let found = await look(admin, topic);
  let outcome: TopicReport['outcome'] = isMade ? 'created' : 'as_wanted';
  if (settings.growPartitions === true && found.partitions < settings.partitions) {
    await admin.createPartitions({
      topicPartitions: [{ topic, count: settings.partitions }],
      timeout: CREATE_TIMEOUT_MS,
    });
    found = await look(admin, topic, settings.partitions);
    outcome = 'grown';
  }
  const differences = differencesOf(found, settings);
  return { topic, outcome: differences.length > 0 ? 'differs' : outcome, differences };
}

/** kafkajs would ask one broker for leaders, which may not know the topic, and fail. */
async function create(admin: Admin, topic: string, settings: TopicSettings): Promise<boolean> {
  const configEntries = Object.entries(configOf(settings)).map(([name, value]) => ({ name, value }));
  const wanted = { topic, numPartitions: settings.partitions, replicationFactor: settings.replication, configEntries };
  try {
    return await admin.createTopics({ topics: [wanted], waitForLeaders: false, timeout: CREATE_TIMEOUT_MS });
  } catch (error) {
    const { errors = [] } = error as { errors?: readonly Error[] };
    const why = errors.map(({ message }) => message).join('; ') || (error as Error).message;
    throw new Error(`Kafka does not make the topic ${topic}: ${why}`, { cause: error });
  }
}

function configOf({ retentionMs, replication }: TopicSettings): Record<string, string> {
  return {
    'cleanup.policy': 'delete',
    'retention.ms': String(retentionMs),
    // A wrong producer clock must not delete or refuse events.
    'message.timestamp.type': 'LogAppendTime',
    'unclean.leader.election.enable': 'false',
    ...(replication >= 2 && { 'min.insync.replicas': '2' }),
  };
}

/** Waits for `atLeast` partitions with leaders; throws after 15 s. */
async function look(admin: Admin, topic: string, atLeast = 1): Promise<Found> {
  const pause = new WakeSignal();
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const found = await metadataOf(admin, topic);
    if (found !== null && found.length >= atLeast) {
      const { resources } = await admin.describeConfigs({
        includeSynonyms: false,
        resources: [{ type: TOPIC_RESOURCE, name: topic }],
      });
      const config = Object.fromEntries(
        (resources[0]?.configEntries ?? []).map(({ configName, configValue }) => [configName, configValue]),
      );
      return {
        partitions: found.length,
        replication: Math.min(...found.map(({ replicas }) => replicas.length)),
        config,
      };
    }
    if (waitedMs >= KNOWN_WITHIN_MS)
      throw new Error(`Kafka has no leader for every partition of ${topic} after ${KNOWN_WITHIN_MS} ms`);
    await pause.wait(LOOK_AGAIN_MS);
  }
}

async function metadataOf(admin: Admin, topic: string): Promise<readonly { replicas: readonly number[] }[] | null> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.find(({ name }) => name === topic)?.partitions ?? [];
    return partitions.every(({ leader }) => leader >= 0) ? partitions : null;
  } catch (error) {
    const { type } = error as { type?: unknown };
    if (type === 'UNKNOWN_TOPIC_OR_PARTITION' || type === 'LEADER_NOT_AVAILABLE') return null;
    throw error;
  }
}

function differencesOf(found: Found, settings: TopicSettings): string[] {
  const { partitions, replication } = settings;
  const differences: string[] = [];
  if (found.partitions > partitions)
    differences.push(`${found.partitions} partitions instead of ${partitions}: a topic cannot shrink`);
  if (found.partitions < partitions) {
    differences.push(
      `${found.partitions} partitions instead of ${partitions}: Vuka does not change this, because keys would move to another partition, beside ` +
        'earlier events that are not processed yet. Grow the topic while nothing is written and every group has caught up',
    );
  }
  if (found.replication !== replication)
    differences.push(
      `${found.replication} copies instead of ${replication}: reassign partitions by hand (kafka-reassign-partitions)`,
    );
  for (const [name, value] of Object.entries(configOf(settings))) {
    const has = found.config[name] ?? null;
    if (has !== value) differences.push(`${name} is ${has ?? 'not known'} instead of ${value}`);
  }
  return differences;
}
