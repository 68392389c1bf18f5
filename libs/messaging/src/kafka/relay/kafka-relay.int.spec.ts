import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { describeWithKafka } from '@vuka/local-servers';
import { atDepth } from '@vuka/testing';

import { TestServer, quiet, until } from '../../postgres.spec-support.js';
import { append, catalogue, event, listening } from '../../event-bus.spec-support.js';
import { kafkaClient } from '../kafka-client.js';
import { RelayFixture, alarms, expectAllInOrder, many, totalOf } from '../kafka-relay-fixture.spec-support.js';
import { ensureTopics } from '../kafka-topics.js';
import { sharedBroker, type SpecBroker } from '../kafka.spec-support.js';

let server: TestServer;
let broker: SpecBroker;
let fixture: RelayFixture;

beforeAll(async () => {
  [server, broker] = await Promise.all([TestServer.start(), sharedBroker()]);
}, 120_000);
beforeEach(async () => {
  fixture = await RelayFixture.fresh(broker, server);
});
afterEach(() => fixture.stop(), 30_000);
afterAll(() => Promise.all([server.stop(), broker.stop()]), 60_000);

describeWithKafka(describe, 'mock')('an outbox on its way to Kafka', () => {
  it('comes as it was written: text, key, and headers for whoever does not read the text', async () => {
    await fixture.topics();
    const [read, instance] = [await fixture.reader(), await fixture.publisher()];
    const said = event('a', 1);
    await fixture.tell(instance, said, { ...event('b', 1), id: '00000000-0000-7000-8000-000000000000' });
    await until(() => read.messages.length === 2);
    const message = read.messages.find(({ key }) => String(key) === 'a')!;
    expect(JSON.parse(String(message.value))).toEqual(said);
    expect(
      Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)])),
    ).toEqual({
      'event-id': said.id,
      sequence: '1',
      type: 'thing.made',
      traceparent: 'd',
    });
    expect(instance.ready()).toBe(true);
  }, 30_000);

  it('is put in order where two writers of a key took their turns the other way round', async () => {
    await fixture.topics();
    const [read, instance] = [await fixture.reader(), await fixture.publisher()];
    await fixture.tell(instance, ...[3, 1, 2].map((n) => event('a', n)), event('b', 1));
    await until(() => read.distinct === 4);
    expect(
      read.messages.filter(({ key }) => String(key) === 'a').map(({ headers }) => String(headers?.['sequence'])),
    ).toEqual(['1', '2', '3']);
  }, 30_000);

  it('is complete and in order per key, whoever commits late, whoever publishes, and however often that changes', async () => {
    await fixture.topics();
    const read = await fixture.reader();
    const [a, b] = [await fixture.publisher(), await fixture.publisher()];
    const rounds = atDepth({ commit: 150, whole: 400 });
    let isWritten = false;
    const handovers = (async (): Promise<number> => {
      let count = 0;
      while (!isWritten) {
        const before = a.published + b.published;
        await until(() => isWritten || a.published + b.published > before + 100);
        if (!isWritten && (await fixture.killHolder())) count += 1;
      }
      return count;
    })();
    const committed = await fixture.write(16, rounds, [a.signal, b.signal]);
    isWritten = true;
    const count = await handovers;
    await expectAllInOrder(read, committed);
    expect(count).toBeGreaterThanOrEqual(2);
    // Nine in ten commit, with one to three events.
    expect(totalOf(committed)).toBeGreaterThan(20 * rounds);
  }, 120_000);

  it('is published by one at a time; the next one goes on where it stopped', async () => {
    await fixture.topics();
    const read = await fixture.reader();
    const a = await fixture.publisher();
    await until(() => a.holds);
    const b = await fixture.publisher();
    await fixture.tell(a, ...many(700));
    await until(() => read.distinct === 700 && a.published === 700);
    expect([a.published, b.published, b.holds, b.ready()]).toEqual([700, 0, false, true]);
    await a.stop();
    await until(() => b.holds, 5_000);
    await fixture.tell(b, ...many(700).map((envelope) => ({ ...envelope, key: `later-${envelope.key}` })));
    await until(() => read.distinct === 1_400 && b.published === 700);
    // A clean stop causes no duplicates.
    expect([read.messages.length, a.published, b.published, a.holds]).toEqual([1_400, 700, 700, false]);
  }, 60_000);

  it('goes on over a holder’s connection that was cut, by itself where nobody else is there', async () => {
    await fixture.topics();
    const read = await fixture.reader();
    const a = await fixture.publisher();
    await until(() => a.holds);
    expect(await fixture.killHolder()).toBe(true);
    await until(() => !a.holds);
    await fixture.tell(a, event('a', 1));
    await until(() => read.distinct === 1, 5_000);
    expect(a.holds).toBe(true);
  }, 30_000);
});

describeWithKafka(describe, 'mock')('a word from a process that stands by', () => {
  it('reaches the holder, and many of them are few to the database', async () => {
    await fixture.topics();
    const read = await fixture.reader();
    const a = await fixture.publisher();
    await until(() => a.holds);
    const b = await fixture.publisher();
    const ear = (await fixture.maker.lockSession('ear'))!;
    let heard = 0;
    await ear.listen('maker_outbox', () => (heard += 1));
    const tookMs: number[] = [];
    for (let n = 1; n <= 9; n += 1) {
      await until(() => fixture.isSeldomLooking());
      await append(fixture.maker, [event('a', n)]);
      const at = performance.now();
      b.signal.notify();
      await until(() => read.distinct === n);
      tookMs.push(performance.now() - at);
    }
    // By polling alone, half would take over 125 ms.
    expect(tookMs.sort((x, y) => x - y)[4]).toBeLessThan(90);
    const before = heard;
    const end = performance.now() + 400;
    await until(() => {
      b.signal.notify();
      return performance.now() > end;
    });
    await until(() => heard > before);
    await ear.close();
    expect(heard - before).toBeLessThanOrEqual(1 + 400 / 20);
  }, 60_000);
});

describeWithKafka(describe, 'mock')('a broker that is not there', () => {
  it('when nothing has begun yet is waited for, and stop() waits for no broker', async () => {
    const nobody = { ...fixture.connection, brokers: ['127.0.0.1:1'] };
    const { log, said } = listening();
    const a = await fixture.publisher({ connection: nobody, log });
    await fixture.tell(a, event('a', 1));
    await until(() => alarms(said).includes('kafka_away'), 30_000);
    const at = performance.now();
    await a.stop();
    expect(performance.now() - at).toBeLessThan(7_000);
    expect(await fixture.maker.query('select 1 from outbox_cursors')).toEqual([]);
  }, 60_000);
});

describeWithKafka(describe)('a broker that refuses', () => {
  it('because nobody made the topic: an alarm, and the events come when it is there', async () => {
    const { log, said } = listening();
    const a = await fixture.publisher({ log });
    await fixture.tell(a, ...many(20));
    await until(() => alarms(said).includes('kafka_refuses'), 30_000);
    expect(said.find(({ facts }) => facts['code'] === 'kafka_refuses')?.facts).toMatchObject({
      reason: 'UNKNOWN_TOPIC_OR_PARTITION',
      service: 'maker',
    });
    await fixture.topics();
    const read = await fixture.reader();
    await until(() => read.distinct === 20, 30_000);
    await expectAllInOrder(read, new Map(Array.from({ length: 7 }, (_, k) => [`k${k}`, k < 6 ? 3 : 2])));
  }, 60_000);

  it('because a batch is too large: smaller ones are sent; a message alone: an alarm, until it is taken', async () => {
    await fixture.topics();
    const admin = kafkaClient(fixture.connection, 'test', quiet).admin();
    await admin.connect();
    fixture.endsWith({ stop: () => admin.disconnect() });
    const limit = (bytes: string): Promise<unknown> =>
      admin.alterConfigs({
        validateOnly: false,
        resources: [
          {
            type: 2,
            name: `${fixture.connection.prefix}things`,
            configEntries: [{ name: 'max.message.bytes', value: bytes }],
          },
        ],
      });
    await limit('5000');
    const read = await fixture.reader();
    const { log, said } = listening();
    const a = await fixture.publisher({ log });
    await fixture.tell(a, ...many(140));
    await until(() => read.distinct === 140);
    expect(alarms(said)).toEqual([]);
    await fixture.tell(a, { ...event('big', 1), correlationId: 'c'.repeat(20_000) }, event('big', 2));
    await until(() => alarms(said).includes('kafka_refuses'), 30_000);
    expect(said.find(({ facts }) => facts['code'] === 'kafka_refuses')?.facts['reason']).toBe('MESSAGE_TOO_LARGE');
    expect(read.firstSeen().has('big')).toBe(false);
    await limit('1000000');
    await until(() => read.distinct === 142, 30_000);
    expect(read.firstSeen().get('big')).toEqual([1, 2]);
  }, 90_000);
});

describeWithKafka(describe)('an outbox that another release writes to', () => {
  it('is published with its new topics, however little this one knows of them', async () => {
    const later = { events: {}, topics: { ...catalogue.topics, 'later.things': { owner: 'maker', consumers: [] } } };
    await ensureTopics(fixture.connection, quiet, {
      partitions: 1,
      replication: 1,
      retentionMs: 3_600_000,
      catalogue: later,
    });
    const [old, fresh, a] = [await fixture.reader(), await fixture.reader('later.things'), await fixture.publisher()];
    await append(fixture.maker, [event('a', 1)], 'later.things');
    await fixture.tell(a, event('a', 1), event('a', 2));
    await until(() => fresh.distinct === 1 && old.distinct === 2);
    expect(String(fresh.messages[0]?.value)).toContain('thing.made');
  }, 30_000);
});

describeWithKafka(describe, 'mock')('a database that came out of a dump', () => {
  it('whose cursors are ahead of it: an alarm, and nothing is skipped', async () => {
    await fixture.topics();
    const [read, before] = [await fixture.reader(), await fixture.publisher()];
    await fixture.tell(before, event('a', 1));
    await until(() => before.published === 1);
    await before.stop();
    await fixture.maker.query("update outbox_cursors set xid = '9000000000'");
    const { log, said } = listening();
    const a = await fixture.publisher({ log });
    await fixture.tell(a, event('a', 2));
    await until(() => alarms(said).includes('relay_failed'));
    expect(said.find(({ facts }) => facts['code'] === 'relay_failed')?.facts['detail']).toContain(
      'ahead of this database',
    );
    expect([a.published, a.holds, a.ready()]).toEqual([0, false, true]);
    await fixture.maker.query('delete from outbox_cursors');
    await until(() => read.distinct === 2);
    expect(alarms(said)).toEqual(['relay_failed']);
  }, 60_000);
});
