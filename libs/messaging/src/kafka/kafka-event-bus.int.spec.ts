import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';
import { Metrics } from '@vuka/runtime';

import { SeededDisturbance } from '../delivery/disturbance.js';
import { TAKERS, takerKnowing } from '../authors/authors.spec-support.js';
import type { Subscription } from '../delivery/subscription.js';
import { TestServer, quiet, until } from '../postgres.spec-support.js';
import { EventBusFixture, catalogue, clock, event, listening, numberOf } from '../event-bus.spec-support.js';
import type { KafkaGroup } from './consumer/kafka-group.js';
import { KafkaLag } from './consumer/kafka-lag.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { KafkaFixture } from './kafka-fixture.spec-support.js';
import { ensureTopics } from './kafka-topics.js';
import { KafkaEventBus, type KafkaEventBusOptions } from './kafka-event-bus.js';
import { sharedBroker, type SpecBroker } from './kafka.spec-support.js';

let broker: SpecBroker;
let server: TestServer;
let fixture: EventBusFixture;
let connection: KafkaConnection;
let eventBuses: KafkaEventBus[] = [];

/** One process: relays for the maker, reads for the taker. */
async function eventBus(
  over: Partial<Subscription> = {},
  options: Partial<KafkaEventBusOptions> = {},
): Promise<KafkaEventBus> {
  const made = new KafkaEventBus({
    connection,
    clock,
    catalogue,
    clientId: 'spec',
    log: quiet,
    replayPollMs: 20,
    retry: { tries: 3, firstDelayMs: 1, maxDelayMs: 4 },
    onFatal: (error) => {
      throw error;
    },
    ...options,
  });
  eventBuses.push(made);
  made.attachProducer({ service: 'maker', db: fixture.maker, signal: fixture.signal });
  made.subscribe({
    group: 'taker',
    topics: ['things'],
    deadLetters: fixture.deadLetters,
    handle: fixture.keepEffect('taker'),
    authors: takerKnowing(TAKERS),
    ...over,
  });
  await made.start();
  return made;
}

async function fresh(): Promise<void> {
  connection = broker.freshConnection();
  fixture = await EventBusFixture.fresh(server);
  // The mock creates topics by name.
  if (broker.kind === 'real')
    await ensureTopics(connection, quiet, { partitions: 4, replication: 1, retentionMs: 3_600_000, catalogue });
}

const effectCount = (): Promise<number> => fixture.effectCount();

beforeAll(async () => {
  [broker, server] = await Promise.all([sharedBroker(), TestServer.start()]);
}, 120_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

describeWithKafka(describe, 'mock')('the Kafka event bus', () => {
  afterEach(async () => {
    await Promise.all(eventBuses.map((made) => made.stop()));
    eventBuses = [];
  }, 60_000);

  it('carries what an outbox holds to two processes of a group, which share it, once and in order per key', async () => {
    await fresh();
    const seen: [string, string][] = [];
    const keep = fixture.keepEffect('taker');
    const handle =
      (process: string) =>
      async (envelope: Envelope): Promise<void> => {
        await keep(envelope);
        seen.push([process, envelope.key]);
      };
    const both = [await eventBus({ handle: handle('one') }), await eventBus({ handle: handle('two') })];
    await until(() => both.every((made) => made.ready() === true), 60_000);
    for (let n = 1; n <= 10; n += 1) await fixture.tell(...Array.from({ length: 40 }, (_, k) => event(`k${k}`, n)));
    await until(async () => (await effectCount()) === 400, 60_000);
    const effects = await fixture.effects();
    for (let k = 0; k < 40; k += 1) {
      expect(effects.filter(({ key }) => key === `k${k}`).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    }
    await until(() => new Set(seen.map(([process]) => process)).size === 2);
    expect(await fixture.deadLetters.list({ limit: 5 })).toEqual([]);
  }, 120_000);

  it('disturbed by a seed it does what the contract allows, and each event has its effect once and in order', async () => {
    await fresh();
    let handOvers = 0;
    const keep = fixture.keepEffect('taker');
    const handle = async (envelope: Envelope): Promise<void> => ((handOvers += 1), keep(envelope));
    await eventBus({ handle }, { disturbance: new SeededDisturbance(3) });
    await fixture.tell(
      ...Array.from({ length: 30 }, (_, k) => [event(`k${k}`, 1), event(`k${k}`, 2), event(`k${k}`, 3)]).flat(),
    );
    await until(async () => (await effectCount()) === 90, 60_000);
    await eventBuses[0]!.stop();
    const effects = await fixture.effects();
    for (let k = 0; k < 30; k += 1)
      expect(effects.filter(({ key }) => key === `k${k}`).map(({ n }) => n)).toEqual([1, 2, 3]);
    expect(handOvers).toBeGreaterThan(90);
  }, 120_000);

  it('has a dead letter replayed by one of two processes, once', async () => {
    await fresh();
    let isPoison = true;
    const tries: string[] = [];
    const handle =
      (process: string) =>
      async (envelope: Envelope): Promise<void> => {
        tries.push(process);
        if (isPoison) throw new Error('a bug');
        await fixture.keepEffect('taker')(envelope);
      };
    const both = [await eventBus({ handle: handle('one') }), await eventBus({ handle: handle('two') })];
    await until(() => both.every((made) => made.ready() === true), 60_000);
    const deadLetters = Array.from({ length: 8 }, (_, k) => event(`k${k}`, 1));
    await fixture.tell(...deadLetters);
    await until(async () => (await fixture.deadLetters.list({ limit: 20 })).length === 8, 60_000);
    isPoison = false;
    tries.length = 0;
    for (const { id } of deadLetters) await fixture.deadLetters.requestReplay('taker', id, 'amina', clock.now());
    await until(async () => (await fixture.deadLetters.list({ limit: 20 })).length === 0, 60_000);
    expect(tries).toHaveLength(8);
    expect(new Set(tries).size).toBe(1);
    expect(await effectCount()).toBe(8);
  }, 120_000);

  it('says what a topic nobody owns, a group subscribed twice and a late change are', async () => {
    await fresh();
    const made = await eventBus();
    const subscription = {
      group: 'taker',
      topics: ['things'],
      deadLetters: fixture.deadLetters,
      authors: takerKnowing(TAKERS),
      handle: () => Promise.resolve(),
    };
    expect(() => made.subscribe(subscription)).toThrow('too late');
    const other = new KafkaEventBus({
      connection,
      clock,
      catalogue,
      clientId: 'spec',
      log: quiet,
      onFatal: () => undefined,
    });
    other.subscribe(subscription);
    expect(() => other.subscribe(subscription)).toThrow('subscribed twice');
    expect(() => other.subscribe({ ...subscription, group: 'x', topics: ['nothing'] })).toThrow(
      'nothing, which has no owner',
    );
    const { authors: _, ...trusting } = subscription;
    expect(() => other.subscribe({ ...trusting, group: 'x' })).toThrow('Group x cannot tell who wrote its events');
  }, 60_000);

  it('ends one group’s deliveries and leaves the rest', async () => {
    await fresh();
    const seen: number[] = [];
    const made = new KafkaEventBus({
      connection,
      clock,
      catalogue,
      clientId: 'spec',
      log: quiet,
      onFatal: () => undefined,
    });
    eventBuses.push(made);
    made.attachProducer({ service: 'maker', db: fixture.maker, signal: fixture.signal });
    const authors = takerKnowing(TAKERS);
    const subscription = { topics: ['things'], deadLetters: fixture.deadLetters, authors };
    const ends = made.subscribe({ ...subscription, group: 'taker', handle: fixture.keepEffect('taker') });
    made.subscribe({ ...subscription, group: 'other', handle: async (envelope) => void seen.push(numberOf(envelope)) });
    await made.start();
    await fixture.tell(event('a', 1));
    await until(async () => (await effectCount()) === 1 && seen.length === 1, 60_000);
    await ends();
    await fixture.tell(event('a', 2));
    await until(() => seen.length === 2, 60_000);
    expect(await effectCount()).toBe(1);
  }, 120_000);
});

describeWithKafka(describe)('lag', () => {
  let kafka: KafkaFixture | undefined;
  afterEach(() => kafka?.stop(), 60_000);

  it('is what lies beyond the committed offset, told by partition, and tells of what was deleted unread', async () => {
    kafka = await KafkaFixture.fresh(broker, server, 1);
    const on = kafka;
    const { log, said } = listening();
    const metrics = new Metrics('spec');
    let releaseClaim: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (releaseClaim = resolve));
    await on.tell(...Array.from({ length: 300 }, (_, n) => event(`k${n}`, 1)));
    const member = on.member({ handle: async ({ key }) => (key === 'k10' ? gate : undefined) });
    await until(async () => (await on.committed()) === 10, 60_000);
    const lag = new KafkaLag(() => [member], {
      kafka: () => kafkaClient(on.connection, 'lag', quiet),
      prefix: on.connection.prefix,
      log,
      clock,
      metrics,
      everyMs: 50,
      stalledAfterMs: 10_000,
    });
    expect(await lag.look(member)).toEqual([
      { group: 'taker', topic: 'things', partition: 0, committed: 10n, low: 0n, high: 300n, events: 290n },
    ]);
    lag.start();
    const line = /vuka_consumer_lag_events\{group="taker",topic="things",partition="0",service="spec"\} 290/;
    await until(async () => line.test(await metrics.text()), 30_000);
    // All others have passed the waiting one, which is too late.
    clock.set(new Date(Date.now() + 60_000));
    await until(() => said.some(({ facts }) => facts['code'] === 'consumer_behind'), 30_000);
    releaseClaim();
    await until(async () => (await on.behind()) === 0, 30_000);
    await member.stop();
    await on.tell(...Array.from({ length: 20 }, (_, n) => event(`k${n}`, 2)));
    await on.admin.deleteTopicRecords({ topic: on.topic, partitions: [{ partition: 0, offset: '310' }] });
    await until(() => said.some(({ facts }) => facts['code'] === 'events_expired'), 30_000);
    const stranger = {
      name: `${on.connection.prefix}stranger`,
      topics: member.topics,
      subscription: { ...member.subscription, group: 'stranger' },
    } as KafkaGroup;
    expect(await lag.look(stranger)).toEqual([
      { group: 'stranger', topic: 'things', partition: 0, committed: null, low: 310n, high: 320n, events: 10n },
    ]);
    await lag.stop();
    expect(said.filter(({ facts }) => facts['code'] === 'consumer_behind')).toHaveLength(1);
    expect(said.find(({ facts }) => facts['code'] === 'events_expired')?.facts).toMatchObject({
      group: 'taker',
      topic: 'things',
      partition: 0,
      from: '300',
      to: '310',
    });
  }, 120_000);
});
