import { type Logger, WakeSignal } from '@vuka/runtime';
import type { Admin, ConfigResourceTypes } from 'kafkajs';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import { kafkaClient } from './kafka-client.js';
import { brokerName, type KafkaConnection } from './kafka-connection.js';

/** The client's enum under a name that Node does not find in a CommonJS package. */
const TOPIC_RESOURCE: ConfigResourceTypes.TOPIC = 2;

/** How topics are to be. */
export interface TopicSettings {
  readonly partitions: number;
  /** Copies of each partition; from 2 on, a write is taken only while two of them (`min.insync.replicas`) have it. */
  readonly replication: number;
  /** Longer than a consumer may ever be away: what is older is deleted, read or not. */
  readonly retentionMs: number;
  /** Whose topics; all of libs/contracts by default. */
  readonly catalogue?: EventCatalogue;
  /**
   * Adds partitions where there are fewer. Only while every group has read all and nothing is written: a key's later events go to
   * another partition than its earlier ones, and two partitions have no order. Left out: they are reported and left.
   */
  readonly growPartitions?: boolean;
}

/** What became of one topic. */
export interface TopicReport {
  /** As on the broker, with prefix. */
  readonly topic: string;
  readonly outcome: 'created' | 'grown' | 'as_wanted' | 'differs';
  /** What is not as wanted, in words; empty unless it differs. */
  readonly differences: readonly string[];
}

interface Found {
  readonly partitions: number;
  /** Of the partition that has the fewest copies. */
  readonly replication: number;
  readonly config: Readonly<Record<string, string | null>>;
}

/** A new topic is known to the broker that was asked before the others hear of it. */
const KNOWN_WITHIN_MS = 15_000;
const LOOK_AGAIN_MS = 100;
const CREATE_TIMEOUT_MS = 10_000;

/**
 * Makes the topics that are missing and says how the others differ; changes none that is there, unless told to grow it. May run
 * again and beside another of its kind. Throws where no broker is reached, or one refuses.
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
    // One by one: the answer for several is one error for all of them.
    for (const name of Object.keys((settings.catalogue ?? EVENT_CATALOGUE).topics)) {
      const report = await ensureTopic(admin, brokerName(connection, name), settings);
      if (report.outcome === 'differs')
        log.warn(
          { topic: report.topic, differences: report.differences },
          'a topic is not as it is wanted; nothing was changed',
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
  // False where another has made it meanwhile.
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

/** Waits for no leaders: kafkajs asks one broker, which may not know the topic yet, and takes that for the end. */
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
    // By the broker's clock: a producer's that is wrong neither deletes its events early nor has them refused.
    'message.timestamp.type': 'LogAppendTime',
    'unclean.leader.election.enable': 'false',
    ...(replication >= 2 && { 'min.insync.replicas': '2' }),
  };
}

/** The topic as the broker has it, once it has `atLeast` partitions with a leader each. Throws where it is not so within 15 s. */
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
    differences.push(`${found.partitions} partitions, wanted ${partitions}: a topic cannot shrink`);
  if (found.partitions < partitions) {
    differences.push(
      `${found.partitions} partitions, wanted ${partitions}: not changed by itself, for keys would go on in another partition, beside ` +
        'earlier events of theirs that are not read yet. Grow it while nothing is written and every group has read all',
    );
  }
  if (found.replication !== replication)
    differences.push(
      `${found.replication} copies, wanted ${replication}: partitions are reassigned by hand (kafka-reassign-partitions)`,
    );
  for (const [name, value] of Object.entries(configOf(settings))) {
    const has = found.config[name] ?? null;
    if (has !== value) differences.push(`${name} is ${has ?? 'not told'}, wanted ${value}`);
  }
  return differences;
}
