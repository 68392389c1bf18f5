import { type Clock, type Logger, runLoop, type RunningLoop, WakeSignal } from '@vuka/runtime';
import type { Admin, Kafka } from 'kafkajs';

import { describeError } from '../../delivery/delivery.js';
import { HeadWatch } from '../../delivery/head-watch.js';
import type { EventBusMetrics } from './consumer-metrics.js';
import type { KafkaGroup } from './kafka-group.js';

export interface KafkaLagOptions {
  readonly kafka: () => Kafka;
  readonly prefix: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly metrics?: EventBusMetrics;
  readonly everyMs: number;
  /** An event that found no room in its partition's window for longer, or was the first not done for longer, is an alarm. */
  readonly stalledAfterMs: number;
}

/** How far one group is behind on one partition. */
export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** The offset of the next event to be handled; null where nothing was ever committed. */
  readonly committed: bigint | null;
  /** The first that is still kept. */
  readonly low: bigint;
  /** One past the last. */
  readonly high: bigint;
  readonly events: bigint;
}

const LOOK_WITHIN_MS = 30_000;

/**
 * How far the groups are behind: by what the brokers say of every partition, whoever holds it, and by what is in hand. It
 * alone tells of events that went by their retention before the group got to them.
 *
 * A group that has no committed offset on a partition which no longer begins at 0 is told of as well: while a group lives its offsets
 * stay, so either it slept for longer than the brokers keep them (`offsets.retention.minutes`), or it never got to that partition, or it is
 * new on a topic that is older. Kafka cannot tell these apart. All of a topic is meant for each of its groups, a group without a place
 * begins at the earliest that is left, and only people know whether one that is new is to have what is gone: an alarm too many once, at
 * its first start, is less than events that nobody misses.
 */
export class KafkaLag {
  private admin: Admin | undefined;
  private loop: RunningLoop | undefined;
  /** Partitions whose loss was told, with the offset it was told for. */
  private readonly toldExpired = new Map<string, bigint | null>();
  private readonly inHand: HeadWatch;

  public constructor(
    private readonly groups: () => readonly KafkaGroup[],
    private readonly options: KafkaLagOptions,
  ) {
    this.inHand = new HeadWatch(options);
  }

  public start(): void {
    const { log, everyMs } = this.options;
    this.loop = runLoop({ name: 'kafka-lag', tick: () => this.tick(), signal: new WakeSignal(), idleMs: everyMs, log });
  }

  public async stop(): Promise<void> {
    await this.loop?.stop();
    await this.close();
  }

  /** One look at one group. Throws where the brokers do not answer. */
  public async look(group: KafkaGroup): Promise<PartitionLag[]> {
    const admin = await this.connected();
    const lags: PartitionLag[] = [];
    const committed = await admin.fetchOffsets({ groupId: group.name, topics: group.topics });
    for (const { topic, partitions } of committed) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        const offset = BigInt(partitions.find((candidate) => candidate.partition === partition)?.offset ?? -1);
        lags.push(
          lagOf(group.subscription.group, topic.slice(this.options.prefix.length), partition, {
            offset,
            low: BigInt(low),
            high: BigInt(high),
          }),
        );
      }
    }
    return lags;
  }

  private async tick(): Promise<boolean> {
    const groups = this.groups();
    // Of what is in hand it can tell whatever the brokers answer.
    for (const group of groups) this.tellInHand(group);
    this.inHand.endOfRound();
    for (const group of groups) {
      try {
        for (const lag of await withinTime(this.look(group), LOOK_WITHIN_MS)) this.tell(lag);
      } catch (error) {
        // The groups themselves say that Kafka is away.
        this.options.log.debug(
          { group: group.subscription.group, detail: describeError(error) },
          'lag could not be looked at',
        );
        await this.close();
        return false;
      }
    }
    return false;
  }

  private tell(lag: PartitionLag): void {
    const { metrics, log } = this.options;
    const { group, topic, partition, committed, low } = lag;
    metrics
      ?.gauge('vuka_consumer_lag_events', 'Events of a partition that a group has not handled, by committed offsets', [
        'group',
        'topic',
        'partition',
      ])
      .set({ group, topic, partition: String(partition) }, Number(lag.events));
    const id = `${group}/${topic}/${partition}`;
    if ((committed ?? 0n) >= low || this.toldExpired.get(id) === committed) return;
    this.toldExpired.set(id, committed);
    const from = committed === null ? null : String(committed);
    log.error(
      { code: 'events_expired', group, topic, partition, from, to: String(low) },
      'events were deleted by their retention before the group had handled them',
    );
  }

  private tellInHand(group: KafkaGroup): void {
    const { metrics, clock } = this.options;
    const nowMs = clock.now().getTime();
    const ageOf = (at: number | null): number => (at === null ? 0 : Math.max(0, nowMs - at));
    const gauge = metrics?.gauge(
      'vuka_consumer_oldest_seconds',
      'Age of the oldest event in hand that is not handled',
      ['group', 'topic', 'partition'],
    );
    for (const buffer of group.inHand) {
      const labels = {
        group: group.subscription.group,
        topic: buffer.topic.slice(this.options.prefix.length),
        partition: String(buffer.partition),
      };
      gauge?.set(labels, ageOf(buffer.oldestAt) / 1_000);
      this.inHand.look(labels, buffer.first, ageOf(buffer.oldestWaitingAt));
    }
    metrics
      ?.gauge('vuka_consumer_ready', '1 while the group hears from Kafka', ['group'])
      .set({ group: group.subscription.group }, group.ready() === true ? 1 : 0);
  }

  private async connected(): Promise<Admin> {
    if (this.admin === undefined) {
      const admin = this.options.kafka().admin();
      this.admin = admin;
      await admin.connect();
    }
    return this.admin;
  }

  private async close(): Promise<void> {
    const { admin } = this;
    this.admin = undefined;
    await admin
      ?.disconnect()
      .catch((error: unknown) =>
        this.options.log.debug({ detail: describeError(error) }, 'lag connection did not close'),
      );
  }
}

export function lagOf(
  group: string,
  topic: string,
  partition: number,
  { offset, low, high }: { offset: bigint; low: bigint; high: bigint },
): PartitionLag {
  const committed = offset < 0n ? null : offset;
  const from = committed === null || committed < low ? low : committed;
  return { group, topic, partition, committed, low, high, events: high > from ? high - from : 0n };
}

async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const done = new AbortController();
  const late = new WakeSignal().wait(ms, done.signal).then(() => {
    throw new Error(`not within ${ms} ms`);
  });
  // It loses the race in silence.
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
