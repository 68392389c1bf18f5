import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';

import { OTHERS, signedWith, TAKERS, takerKnowing } from '../../authors/authors.spec-support.js';
import { eventMacsBy } from '../../authors/event-keys.js';
import { catalogue, clock, event, listening } from '../../event-bus.spec-support.js';
import { TestServer, until } from '../../postgres.spec-support.js';
import { KafkaFixture } from '../kafka-fixture.spec-support.js';
import { messageOf } from '../kafka-message.spec-support.js';
import { sharedBroker, type SpecBroker } from '../kafka.spec-support.js';
import { KafkaRelay } from '../relay/kafka-relay.js';

let broker: SpecBroker;
let server: TestServer;
let fixture: KafkaFixture;
let heard: ReturnType<typeof listening>;

beforeAll(async () => {
  [broker, server] = await Promise.all([sharedBroker(), TestServer.start()]);
}, 120_000);
beforeEach(async () => {
  fixture = await KafkaFixture.fresh(broker, server, 1);
  heard = listening();
}, 60_000);
afterEach(() => fixture.stop(), 60_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

const alarms = (): unknown[] => heard.said.flatMap(({ facts }) => facts['code'] ?? []);
const letters = () => fixture.databases.deadLetters.list({ limit: 50 });

/** The last event is a true one: once it is handled, all before it were judged. */
async function judged(...messages: Parameters<KafkaFixture['tellRaw']>): Promise<void> {
  await fixture.tellRaw(...messages);
  fixture.member({}, { log: heard.log });
  await until(async () => (await fixture.committed()) === messages.length, 60_000);
}

const paying = (n: number): Envelope => event('made-up', n);

describeWithKafka(describe)('on a Kafka that anybody may write to', () => {
  it('an event of a producer without the key has no effect', async () => {
    await judged(messageOf(paying(1), null), messageOf(event('a', 1)));
    expect((await fixture.databases.effects()).map(({ key }) => key)).toEqual(['a']);
    expect(await letters()).toEqual([
      expect.objectContaining({ reason: 'foreign', detail: 'It has no MAC for taker' }),
    ]);
    expect(alarms()).toEqual(['event_foreign']);
  }, 120_000);

  it('an event that another reader forges with its own key has no effect', async () => {
    const forged = paying(1);
    // The other reader has OTHERS alone, and writes it in the place of the taker's MAC.
    const macs = signedWith([OTHERS])('things', JSON.stringify(forged));
    await judged(messageOf(forged, macs), messageOf(event('a', 1)));
    expect((await fixture.databases.effects()).map(({ key }) => key)).toEqual(['a']);
    expect(await letters()).toEqual([
      expect.objectContaining({ reason: 'foreign', detail: 'Its MAC is not one of maker' }),
    ]);
  }, 120_000);

  it('a true event copied from another topic has no effect', async () => {
    const elsewhere = { topics: { others: { owner: 'maker', consumers: ['taker'] } } };
    const copied = paying(1);
    const macs = eventMacsBy({ to: { taker: [TAKERS] }, from: {} }, elsewhere)('others', JSON.stringify(copied));
    await judged(messageOf(copied, macs), messageOf(event('a', 1)));
    expect((await fixture.databases.effects()).map(({ key }) => key)).toEqual(['a']);
    expect(await letters()).toEqual([expect.objectContaining({ reason: 'foreign' })]);
  }, 120_000);

  it('a true event sent twice has its effect once, and under another id or sequence none', async () => {
    const once = event('a', 1);
    const copy = messageOf(once);
    const renamed = { ...copy, headers: { ...copy.headers, 'event-id': event('a', 1).id } };
    const renumbered = { ...copy, headers: { ...copy.headers, sequence: '9' } };
    await judged(copy, copy, renamed, renumbered, { ...copy, key: 'b' }, messageOf(event('a', 2)));
    expect((await fixture.databases.effects()).map(({ n }) => n)).toEqual([1, 2]);
    const detail = 'It came under another id, key or sequence than it was written with';
    expect((await letters()).map((letter) => letter.detail)).toEqual([detail, detail, detail]);
  }, 120_000);

  it('a stranger that names the id of a true event does not keep it from being handled', async () => {
    const truth = event('a', 1);
    await judged(messageOf({ ...truth, data: { n: 99 } } as unknown as Envelope, null), messageOf(truth));
    expect(await fixture.databases.effects()).toEqual([{ event_id: truth.id, key: 'a', n: 1 }]);
  }, 120_000);

  it('what the relay takes from an outbox is known by its reader to the byte', async () => {
    const signal = fixture.databases.signal;
    const { connection } = fixture;
    const relay = new KafkaRelay(
      { service: 'maker', db: fixture.databases.maker, signal },
      { connection, clientId: 'maker', log: heard.log, clock, catalogue },
    );
    await relay.start();
    fixture.member({ authors: takerKnowing(TAKERS) });
    await fixture.databases.tell(event('ключ', 1), event('b', 1));
    await until(async () => (await fixture.databases.effectCount()) === 2, 60_000);
    await relay.stop();
    expect(await letters()).toEqual([]);
  }, 120_000);
});
