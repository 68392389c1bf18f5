import type { CounterMetric } from '@vuka/runtime';
import type { Kafka } from 'kafkajs';

import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import { ReplayDeadLetters } from '../dead-letters/replay-dead-letters.js';
import type { Subscription } from '../delivery/subscription.js';
import { EVENT_BUS_DEFAULTS, type Producer, type EventBus, type EventBusOptions } from '../event-bus.js';
import type { EventBusMetrics } from './consumer/consumer-metrics.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { KafkaGroup } from './consumer/kafka-group.js';
import { KafkaLag } from './consumer/kafka-lag.js';
import { KafkaRelay, type RelayMetrics } from './relay/kafka-relay.js';

export interface KafkaEventBusOptions extends EventBusOptions {
  readonly connection: KafkaConnection;
  readonly clientId: string;
  readonly metrics?: EventBusMetrics;
  /** The process must end. */
  readonly onFatal: (error: Error) => void;
}

/** Two requests per group and topic. */
const LAG_EVERY_MS = 10_000;

interface RunningGroup {
  readonly group: KafkaGroup;
  readonly replay: ReplayDeadLetters;
}

/**
 * Event bus of the distributed profile. One process per producer relays the outbox; a group's processes share its
 * partitions. Handlers see the same as on the embedded bus.
 */
export class KafkaEventBus implements EventBus {
  private readonly producers = new Map<string, Producer>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly relays = new Map<string, KafkaRelay>();
  private readonly running = new Map<string, RunningGroup>();
  private readonly lag: KafkaLag;
  private readonly catalogue: EventCatalogue;
  private readonly foreign: CounterMetric<'group'> | undefined;
  private isStarted = false;

  public constructor(private readonly options: KafkaEventBusOptions) {
    this.catalogue = options.catalogue ?? EVENT_CATALOGUE;
    const { log, clock, metrics, stalledAfterMs = EVENT_BUS_DEFAULTS.stalledAfterMs } = options;
    const { prefix } = options.connection;
    this.foreign = metrics?.counter(
      'vuka_events_foreign_total',
      'Events refused because no service of ours wrote them',
      ['group'],
    );
    this.lag = new KafkaLag(() => [...this.running.values()].map(({ group }) => group), {
      kafka: () => this.client('lag'),
      prefix,
      log,
      clock,
      stalledAfterMs,
      everyMs: LAG_EVERY_MS,
      ...(metrics && { metrics }),
    });
  }

  /** Call before start(). */
  public attachProducer(producer: Producer): void {
    this.assertNotStarted(`attach producer ${producer.service}`);
    if (this.producers.has(producer.service)) throw new Error(`Producer ${producer.service} is attached twice`);
    this.producers.set(producer.service, producer);
  }

  public subscribe(subscription: Subscription): () => Promise<void> {
    const { group, topics } = subscription;
    this.assertNotStarted(`subscribe group ${group}`);
    if (this.subscriptions.has(group)) throw new Error(`Group ${group} is subscribed twice`);
    const ownerless = topics.find((topic) => !this.catalogue.topics[topic]?.owner);
    if (ownerless !== undefined) throw new Error(`Group ${group} listens to ${ownerless}, which has no owner`);
    // Whoever reaches the brokers could else write an event of ours.
    if (subscription.authors === undefined) throw new Error(`Group ${group} cannot tell who wrote its events`);
    this.subscriptions.set(group, subscription);
    return async () => {
      this.subscriptions.delete(group);
      const own = this.running.get(group);
      this.running.delete(group);
      if (own !== undefined) await endGroup(own);
    };
  }

  /** Does not wait for brokers. Throws if the connection is malformed. */
  public async start(): Promise<void> {
    this.assertNotStarted('start');
    this.client('start');
    this.isStarted = true;
    for (const subscription of this.subscriptions.values()) {
      const own = this.groupOf(subscription);
      this.running.set(subscription.group, own);
      own.group.start();
      own.replay.start();
    }
    for (const producer of this.producers.values()) {
      const relay = this.relayOf(producer);
      this.relays.set(producer.service, relay);
      await relay.start();
    }
    if (this.running.size > 0) this.lag.start();
  }

  /** Current handlers and batches end first; the rest waits for the next start. */
  public async stop(): Promise<void> {
    const groups = [...this.running.values()];
    const relays = [...this.relays.values()];
    this.running.clear();
    this.relays.clear();
    await Promise.all([this.lag.stop(), ...groups.map(endGroup), ...relays.map((relay) => relay.stop())]);
  }

  /** true, or why not. */
  public ready(): true | string {
    const states = [
      ...[...this.running.values()].map(({ group }) => group.ready()),
      ...[...this.relays.values()].map((relay) => relay.ready()),
    ];
    const reasons = states.filter((state) => state !== true);
    return reasons.length === 0 ? true : reasons.join('; ');
  }

  private groupOf(subscription: Subscription): RunningGroup {
    const { log, clock, disturbance, onFatal, connection } = this.options;
    const {
      retry = EVENT_BUS_DEFAULTS.retry,
      handlerTimeoutMs = EVENT_BUS_DEFAULTS.handlerTimeoutMs,
      replayPollMs = EVENT_BUS_DEFAULTS.replayPollMs,
    } = this.options;
    const { catalogue, foreign } = this;
    const delivery = { log, clock, catalogue, handlerTimeoutMs };
    const group = new KafkaGroup(subscription, {
      ...delivery,
      retry,
      onFatal,
      ...(foreign && { onForeign: () => foreign.add({ group: subscription.group }) }),
      prefix: connection.prefix,
      kafka: () => this.client(subscription.group),
      ...(disturbance && { disturbance }),
    });
    // One process only: with two, the inbox stops one, which could then store a failure over the success.
    return {
      group,
      replay: new ReplayDeadLetters(subscription, { ...delivery, replayPollMs, isMine: () => group.isFirstMember }),
    };
  }

  private relayOf(producer: Producer): KafkaRelay {
    const { connection, log, clock, stalledAfterMs, metrics } = this.options;
    const clientId = `${this.options.clientId}.relay`;
    return new KafkaRelay(producer, {
      connection,
      clientId,
      log,
      clock,
      catalogue: this.catalogue,
      ...(stalledAfterMs !== undefined && { stalledAfterMs }),
      ...(metrics && { metrics: relayMetrics(metrics, producer.service) }),
    });
  }

  private client(part: string): Kafka {
    const { connection, clientId, log } = this.options;
    return kafkaClient(connection, `${clientId}.${part}`, log);
  }

  private assertNotStarted(what: string): void {
    if (this.isStarted) throw new Error(`The event bus is running: it is too late to ${what}`);
  }
}

async function endGroup({ group, replay }: RunningGroup): Promise<void> {
  await Promise.all([group.stop(), replay.stop()]);
}

function relayMetrics(metrics: EventBusMetrics, producer: string): RelayMetrics {
  const published = metrics.counter(
    'vuka_outbox_published_total',
    'Events that this process published from an outbox to Kafka',
    ['producer'],
  );
  const age = metrics.gauge('vuka_outbox_oldest_seconds', 'Age of the oldest event of an outbox that is not on Kafka', [
    'producer',
  ]);
  const holder = metrics.gauge('vuka_outbox_relay_holder', '1 where this process relays the outbox', ['producer']);
  return {
    published: (events) => published.add({ producer }, events),
    outboxAge: (ms) => age.set({ producer }, ms / 1_000),
    isHolder: (yes) => holder.set({ producer }, yes ? 1 : 0),
  };
}
