import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { WakeSignal } from '@vuka/platform';

import { TestServer, until } from '../postgres.spec-support.js';
import { event, listening, type Said } from '../wire.spec-support.js';
import { Cable, KafkaScene, describeWithKafka } from './kafka-scene.spec-support.js';
import { TestBroker } from './kafka.spec-support.js';
import type { KafkaGroup } from './kafka-group.js';

let broker: TestBroker;
let server: TestServer;
let scene: KafkaScene;
let said: Said[];
let fatal: Error[];
let member: KafkaGroup;

const outageWords = (): string[] => said.filter(({ text }) => text.includes('Kafka')).map(({ text }) => text);
const effectCount = async (): Promise<number> => (await scene.databases.effects()).length;
const events = (from: number, count: number): Envelope[] => Array.from({ length: count }, (_, n) => event(`k${n % 10}`, from + n));

/** A member that has taken fifty events, and what it says and does from there on. */
async function flowing(cable?: Cable): Promise<void> {
  scene = await KafkaScene.fresh(broker, server);
  const heard = listening();
  said = heard.said;
  fatal = [];
  member = scene.member({}, { log: heard.log, onFatal: (error) => fatal.push(error), ...(cable && { kafka: () => cable.client(scene.connection) }) });
  await scene.tell(...events(1, 50));
  await until(async () => (await effectCount()) === 50);
  expect(member.ready()).toBe(true);
}

/** It flows again, and nothing was lost, doubled or turned round. */
async function flowsAgain(): Promise<void> {
  await until(() => member.ready() === true, 90_000);
  await scene.tell(...events(101, 50));
  await until(async () => (await effectCount()) === 150, 60_000);
  // A producer that hears no answer writes again: there may be more messages than events.
  await until(async () => (await scene.behind()) === 0, 30_000);
  const effects = await scene.databases.effects();
  for (let k = 0; k < 10; k += 1) {
    const numbers = effects.filter(({ key }) => key === `k${k}`).map(({ n }) => n);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(new Set(numbers).size).toBe(15);
  }
  expect(fatal).toEqual([]);
  expect(await scene.databases.letters.list({ limit: 5 })).toEqual([]);
}

describeWithKafka('while Kafka is in trouble', () => {
  beforeAll(async () => {
    [broker, server] = await Promise.all([TestBroker.start(), TestServer.start()]);
  }, 120_000);
  afterEach(() => scene.stop(), 60_000);
  afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

  it('for 20 s of a broker that answers nothing: not ready, nothing lost, flows after', async () => {
    await flowing();
    broker.pause();
    const told = scene.tell(...events(51, 50));
    await until(() => member.ready() !== true, 20_000);
    expect(member.ready()).toMatch(/nothing was heard of Kafka for \d+ s|Kafka is away/);
    await new WakeSignal().wait(10_000);
    broker.goOn();
    await told;
    await flowsAgain();
  }, 240_000);

  it('through a broker that is killed and started again: waits, says so once, and flows after', async () => {
    await flowing();
    await broker.killAndRestart(async () => {
      await until(() => String(member.ready()).includes('Kafka is away'), 60_000);
      // Tried again and again meanwhile, as often as it takes, and no fault of ours.
      await new WakeSignal().wait(10_000);
      expect(member.ready()).toContain('Kafka is away');
    });
    await scene.reconnect();
    await scene.tell(...events(51, 50));
    await flowsAgain();
    expect(outageWords()).toEqual(['events wait for Kafka', 'events flow again: Kafka answers']);
  }, 240_000);

  it('over a link that is cut for 15 s and mended', async () => {
    const cable = new Cable();
    await flowing(cable);
    cable.cut();
    await scene.tell(...events(51, 50));
    await until(() => member.ready() !== true, 30_000);
    await new WakeSignal().wait(12_000);
    expect(await effectCount()).toBe(50);
    cable.mend();
    await flowsAgain();
  }, 240_000);
});
