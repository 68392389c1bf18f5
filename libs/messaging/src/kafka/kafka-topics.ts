import type { Logger } from '@vuka/platform';

import { type EventCatalogue } from '../envelope.js';
import type { KafkaConnection } from './kafka-connection.js';

/** How topics are to be. */
export interface TopicSettings {
  readonly partitions: number;
  /** Copies of each partition; from 2 on, a write is taken only while two of them (`min.insync.replicas`) have it. */
  readonly replication: number;
  readonly retentionMs: number;
  /** Whose topics; all of libs/contracts by default. */
  readonly catalogue?: EventCatalogue;
}

/** What became of one topic. */
export interface TopicReport {
  /** As on the broker, with prefix. */
  readonly topic: string;
  readonly outcome: 'created' | 'as_wanted' | 'differs';
  /** What is not as wanted, in words; empty unless it differs. */
  readonly differences: readonly string[];
}

/** Makes the topics that are missing and says how the others differ; changes none that is there. Throws where the broker is not reached. */
export async function ensureTopics(_connection: KafkaConnection, _log: Logger, _settings: TopicSettings): Promise<TopicReport[]> {
  throw new Error('not yet');
}
