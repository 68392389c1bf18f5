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
  /** Alarm: an event waited longer for room in its window, or was the first undone for longer. */
  readonly stalledAfterMs: number;
}

export interface PartitionLag {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Next offset to handle; null if nothing was committed. */
  readonly committed: bigint | null;
  /** First offset still kept. */
  readonly low: bigint;
  /** One past the last. */
  readonly high: bigint;
  readonly events: bigint;
}

const LOOK_WITHIN_MS = 30_000;

/**
 * Lag from the brokers' offsets and from the buffers. Only this reports events that retention deleted before the
 * group read them.
 *
 * It also reports a group without a committed offset on a partition that no longer begins at 0. Either its offsets
 * expired (`offsets.retention.minutes`), it never read that partition, or it is new. Kafka cannot tell which. A false
 * alarm at a new group's first start is better than events lost unseen.
 */
export class KafkaLag {
  private admin: Admin | undefined;
  private loop: RunningLoop | undefined;
  /** Reported losses, with the committed offset of the report. */
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

  /** Throws if the brokers do not answer. */
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
    // Needs no broker.
    for (const group of groups) this.tellInHand(group);
    this.inHand.endOfRound();
    for (const group of groups) {
      try {
        for (const lag of await withinTime(this.look(group), LOOK_WITHIN_MS)) this.tell(lag);
      } catch (error) {
        // The groups report an outage themselves.
        this.options.log.debug(
          { group: group.subscription.group, detail: describeError(error) },
          'the lag could not be read',
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
      'Age of the oldest fetched event that is not handled',
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
      ?.gauge('vuka_consumer_ready', '1 while the group gets answers from Kafka', ['group'])
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
  // Avoids an unhandled rejection.
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
