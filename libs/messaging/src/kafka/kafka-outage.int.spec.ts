import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';
import { type MonotonicClock, systemClock, WakeSignal } from '@vuka/runtime';
import { atDepth } from '@vuka/testing';
import type { Kafka } from 'kafkajs';

import { TestServer, until } from '../postgres.spec-support.js';
import { event, listening, type Said } from '../event-bus.spec-support.js';
import type { KafkaGroup } from './consumer/kafka-group.js';
import { RelayFixture, alarms, expectAllInOrder } from './kafka-relay-fixture.spec-support.js';
import { Cable, KafkaFixture } from './kafka-fixture.spec-support.js';
import { IMPATIENT_MS, SESSION_MS, TestBroker, impatientClient, inTests } from './kafka.spec-support.js';
import { PRODUCER_FAULTS } from './kafkajs-faults.js';
import type { MakeClient } from './relay/batch-sender.js';

let broker: TestBroker;
let server: TestServer;
let fixture: KafkaFixture;
let relay: RelayFixture;
let said: Said[];
let fatal: Error[];
let member: KafkaGroup;

/** Runs four times as fast, to shorten silence. */
const quick: MonotonicClock = { monotonicMs: () => 4 * systemClock.monotonicMs() };
const outageWords = (): string[] => said.filter(({ text }) => text.includes('Kafka')).map(({ text }) => text);
const effectCount = (): Promise<number> => fixture.databases.effectCount();
const events = (from: number, count: number): Envelope[] =>
  Array.from({ length: count }, (_, n) => event(`k${n % 10}`, from + n));

/** A member that has handled fifty events. */
async function flowing(cable?: Cable): Promise<void> {
  fixture = await KafkaFixture.fresh(broker, server);
  const heard = listening();
  said = heard.said;
  fatal = [];
  const kafka = (): Kafka => cable?.client(fixture) ?? inTests('real', impatientClient(fixture.connection));
  member = fixture.member({}, { log: heard.log, onFatal: (error) => fatal.push(error), kafka, monotonic: quick });
  await fixture.tell(...events(1, 50));
  await until(async () => (await effectCount()) === 50);
  expect(member.ready()).toBe(true);
}

/** Nothing lost, doubled or out of order. */
async function flowsAgain(): Promise<void> {
  await until(() => member.ready() === true, 90_000);
  await fixture.tell(...events(101, 50));
  await until(async () => (await effectCount()) === 150, 60_000);
  // A producer without an answer sends again, so there may be duplicates.
  await until(async () => (await fixture.behind()) === 0, 30_000);
  const effects = await fixture.databases.effects();
  for (let k = 0; k < 10; k += 1) {
    const numbers = effects.filter(({ key }) => key === `k${k}`).map(({ n }) => n);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(new Set(numbers).size).toBe(15);
  }
  expect(fatal).toEqual([]);
  expect(await fixture.databases.deadLetters.list({ limit: 5 })).toEqual([]);
}

beforeAll(async () => {
  [broker, server] = await Promise.all([TestBroker.start(), TestServer.start()]);
}, 120_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

describeWithKafka(describe)('a group while Kafka is in trouble', () => {
  afterEach(() => fixture.stop(), 60_000);

  it('for longer than its session and its requests last, of a broker that answers nothing: not ready, nothing lost, flows after', async () => {
    await flowing();
    broker.pause();
    const told = fixture.tell(...events(51, 50));
    await until(() => member.ready() !== true, 20_000);
    expect(member.ready()).toMatch(/Kafka has not answered for \d+ s|Kafka is away/);
    await new WakeSignal().wait(IMPATIENT_MS);
    broker.goOn();
    await told;
    await flowsAgain();
  }, 240_000);

  it('through a broker that is killed and started again: waits, says so once, and flows after', async () => {
    await flowing();
    await broker.killAndRestart(async () => {
      await until(() => String(member.ready()).includes('Kafka is away'), 60_000);
      // Retried without limit, and no fault.
      await new WakeSignal().wait(atDepth({ commit: 1_500, whole: 3_000 }));
      expect(member.ready()).toContain('Kafka is away');
    });
    await fixture.reconnect();
    await fixture.tell(...events(51, 50));
    await flowsAgain();
    expect(outageWords()).toEqual(['events wait for Kafka', 'events flow again: Kafka answers']);
  }, 240_000);

  it('over a link that is cut for longer than its session lasts, and repaired', async () => {
    const cable = new Cable();
    await flowing(cable);
    cable.cut();
    await fixture.tell(...events(51, 50));
    await until(() => member.ready() !== true, 30_000);
    await new WakeSignal().wait(SESSION_MS);
    expect(await effectCount()).toBe(50);
    cable.repair();
    await flowsAgain();
  }, 240_000);
});

describeWithKafka(describe)('an outbox while Kafka is in trouble', () => {
  beforeEach(async () => {
    relay = await RelayFixture.fresh(broker, server);
  });
  afterEach(() => relay.stop(), 30_000);

  it('of a broker that is paused in the middle costs patience and no event', async () => {
    await relay.topics();
    const read = await relay.reader();
    const { log, said } = listening();
    const makeClient: MakeClient = (createPartitioner) =>
      impatientClient(relay.connection, log).producer({
        ...PRODUCER_FAULTS,
        createPartitioner,
        allowAutoTopicCreation: false,
      });
    const a = await relay.publisher({ log, makeClient });
    const pausing = (async () => {
      await until(() => a.published > 300);
      broker.pause();
      // Long enough that a batch is sent twice.
      await until(() => said.some(({ facts }) => String(facts['said']).includes('timed out')), 40_000);
      broker.goOn();
    })();
    const committed = await relay.write(8, atDepth({ commit: 150, whole: 400 }), [a.signal]);
    await pausing;
    await expectAllInOrder(read, committed);
  }, 120_000);

  it('of a broker that is killed and started again: nothing is lost, it is said once, and again when it is over', async () => {
    await relay.topics();
    const read = await relay.reader();
    const { log, said } = listening();
    const a = await relay.publisher({ log });
    const writing = relay.write(8, atDepth({ commit: 150, whole: 300 }), [a.signal]);
    await until(() => a.published > 300);
    await broker.killAndRestart(async () => {
      await until(() => alarms(said).includes('kafka_away'), 30_000);
      // Payments go on.
      expect(a.ready()).toBe(true);
    });
    const committed = await writing;
    await expectAllInOrder(read, committed);
    expect(alarms(said)).toEqual(['kafka_away']);
    expect(said.filter(({ text }) => text.startsWith('events flow again: Kafka'))).toHaveLength(1);
  }, 120_000);
});
