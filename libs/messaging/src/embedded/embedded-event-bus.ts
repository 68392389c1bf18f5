import { EVENT_CATALOGUE, type EventCatalogue } from '../envelope.js';
import { GroupRelay, type RelayOptions } from './group-relay.js';
import { ProducerLog } from '../outbox/producer-log.js';
import { ReplayDeadLetters, type ReplayOptions } from '../dead-letters/replay-dead-letters.js';
import type { Subscription } from '../delivery/subscription.js';
import { EVENT_BUS_DEFAULTS, type Producer, type EventBus, type EventBusOptions } from '../event-bus.js';

const PUMP_WAIT_MS = 60_000;

/** Event bus of the embedded profile: the outbox is the log, and each group has its own cursors. */
export class EmbeddedEventBus implements EventBus {
  private readonly producers = new Map<string, Producer>();
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly relays = new Map<string, { readonly producer: string; readonly relay: GroupRelay }[]>();
  private readonly replays = new Map<string, ReplayDeadLetters>();
  private readonly stopping = new AbortController();
  private readonly catalogue: EventCatalogue;
  private isStarted = false;

  public constructor(private readonly options: EventBusOptions) {
    this.catalogue = options.catalogue ?? EVENT_CATALOGUE;
  }

  /** Call before start(). */
  public attachProducer(producer: Producer): void {
    this.assertNotStarted(`attach producer ${producer.service}`);
    if (this.producers.has(producer.service)) throw new Error(`Producer ${producer.service} is attached twice`);
    this.producers.set(producer.service, producer);
  }

  public subscribe(subscription: Subscription): () => Promise<void> {
    this.assertNotStarted(`subscribe group ${subscription.group}`);
    if (this.subscriptions.has(subscription.group)) throw new Error(`Group ${subscription.group} is subscribed twice`);
    this.subscriptions.set(subscription.group, subscription);
    return async () => {
      this.subscriptions.delete(subscription.group);
      const own = this.relays.get(subscription.group) ?? [];
      const replay = this.replays.get(subscription.group);
      this.relays.delete(subscription.group);
      this.replays.delete(subscription.group);
      await Promise.all([replay?.stop(), ...own.map(({ relay }) => relay.stop())]);
    };
  }

  /** Throws if a topic's owner is not attached or a cursor is wrong. */
  public async start(): Promise<void> {
    this.assertNotStarted('start');
    const planned = [...this.subscriptions.values()].map((subscription) => ({
      subscription,
      byProducer: this.topicsByProducer(subscription),
    }));
    this.isStarted = true;
    for (const { subscription, byProducer } of planned) {
      const own = [...byProducer].map(([producer, topics]) => ({
        producer: producer.service,
        relay: new GroupRelay(new ProducerLog(producer.db), subscription, topics, this.relayOptions()),
      }));
      this.relays.set(subscription.group, own);
      await Promise.all(own.map(({ relay }) => relay.start()));
      const replay = new ReplayDeadLetters(subscription, this.relayOptions());
      this.replays.set(subscription.group, replay);
      replay.start();
    }
    for (const producer of this.producers.values()) void this.passOn(producer);
  }

  /** Running handlers end first. */
  public async stop(): Promise<void> {
    this.stopping.abort();
    const relays = [...this.relays.values()].flat();
    const replays = [...this.replays.values()];
    this.relays.clear();
    this.replays.clear();
    await Promise.all([...relays.map(({ relay }) => relay.stop()), ...replays.map((replay) => replay.stop())]);
  }

  private async passOn(producer: Producer): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await producer.signal.wait(PUMP_WAIT_MS, this.stopping.signal);
      for (const own of this.relays.values()) {
        for (const entry of own) if (entry.producer === producer.service) entry.relay.notify();
      }
    }
  }

  private topicsByProducer(subscription: Subscription): Map<Producer, string[]> {
    const byProducer = new Map<Producer, string[]>();
    for (const topic of subscription.topics) {
      const owner = this.catalogue.topics[topic]?.owner;
      if (owner === undefined) throw new Error(`Group ${subscription.group} listens to ${topic}, which has no owner`);
      const producer = this.producers.get(owner);
      if (producer === undefined) {
        throw new Error(
          `Group ${subscription.group} listens to ${topic} of ${owner}, whose outbox is not on the event bus`,
        );
      }
      byProducer.set(producer, [...(byProducer.get(producer) ?? []), topic]);
    }
    return byProducer;
  }

  private relayOptions(): RelayOptions & ReplayOptions {
    const {
      log,
      clock,
      disturbance,
      retry = EVENT_BUS_DEFAULTS.retry,
      handlerTimeoutMs = EVENT_BUS_DEFAULTS.handlerTimeoutMs,
    } = this.options;
    const { replayPollMs = EVENT_BUS_DEFAULTS.replayPollMs, stalledAfterMs = EVENT_BUS_DEFAULTS.stalledAfterMs } =
      this.options;
    const { catalogue } = this;
    return {
      log,
      clock,
      retry,
      handlerTimeoutMs,
      replayPollMs,
      stalledAfterMs,
      catalogue,
      ...(disturbance && { disturbance }),
    };
  }

  private assertNotStarted(what: string): void {
    if (this.isStarted) throw new Error(`The event bus is running: it is too late to ${what}`);
  }
}
