import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import { describeWithKafka } from '@vuka/local-servers';
import { WakeSignal } from '@vuka/runtime';
import { atDepth } from '@vuka/testing';

import { MAX_ENVELOPE_BYTES } from '../../envelope.js';
import { TestServer, until } from '../../postgres.spec-support.js';
import { event, listening } from '../../event-bus.spec-support.js';
import { brokerName } from '../kafka-connection.js';
import { messageOf } from '../kafka-message.spec-support.js';
import { Cable, KafkaFixture } from '../kafka-fixture.spec-support.js';
import { SESSION_MS, sharedBroker, type SpecBroker } from '../kafka.spec-support.js';

let broker: SpecBroker;
let server: TestServer;
let fixture: KafkaFixture;

const workOf = (ms: number): Promise<void> => new WakeSignal().wait(ms);

/** One event per key and round, in order per key. */
function rounds(keys: number, perKey: number): Envelope[] {
  return Array.from({ length: perKey }, (_, n) =>
    Array.from({ length: keys }, (__, k) => event(`k${k}`, n + 1)),
  ).flat();
}

async function effectsByKey(): Promise<Map<string, number[]>> {
  const byKey = new Map<string, number[]>();
  for (const { key, n } of await fixture.databases.effects()) byKey.set(key, [...(byKey.get(key) ?? []), n]);
  return byKey;
}

const effectCount = (): Promise<number> => fixture.databases.effectCount();

beforeAll(async () => {
  [broker, server] = await Promise.all([sharedBroker(), TestServer.start()]);
}, 120_000);
afterEach(() => fixture.stop(), 60_000);
afterAll(() => Promise.all([broker.stop(), server.stop()]), 60_000);

describeWithKafka(describe, 'mock')('a group on Kafka', () => {
  it('takes what was there before it first joined, in order within each key, and commits it all', async () => {
    fixture = await KafkaFixture.fresh(broker, server);
    await fixture.tell(...rounds(20, 10));
    const member = fixture.member();
    await until(async () => (await effectCount()) === 200);
    for (const numbers of (await effectsByKey()).values()) expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await until(async () => (await fixture.committed()) === 200);
    expect(member.ready()).toBe(true);
    expect(member.isFirstMember).toBe(true);
  }, 60_000);

  it('has each event take effect once, in order, while members come, go and vanish under load', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 6);
    const [keys, perKey] = [30, atDepth({ commit: 25, whole: 40 })];
    const events = rounds(keys, perKey);
    const keep = fixture.databases.keepEffect('taker');
    const handle = async (envelope: Envelope): Promise<void> => {
      await workOf(2);
      await keep(envelope);
    };
    const first = fixture.member({ handle });
    const telling = (async () => {
      for (let n = 0; n < events.length; n += 30) await fixture.tell(...events.slice(n, n + 30));
    })();
    await until(async () => (await effectCount()) > 100, 60_000);
    const second = fixture.member({ handle });
    await until(() => second.ready() === true, 60_000);
    await until(async () => (await effectCount()) > 400, 60_000);
    await first.stop();
    const third = fixture.member({ handle });
    await until(() => third.ready() === true, 60_000);
    await telling;
    await until(async () => (await effectCount()) === keys * perKey, 60_000);
    await until(async () => (await fixture.committed()) === keys * perKey, 60_000);
    const byKey = await effectsByKey();
    for (const numbers of byKey.values()) expect(numbers).toEqual(Array.from({ length: perKey }, (_, n) => n + 1));
    expect(byKey.size).toBe(keys);
    expect([second.isFirstMember, third.isFirstMember].filter(Boolean)).toHaveLength(1);
    expect(await fixture.databases.deadLetters.list({ limit: 10 })).toEqual([]);
  }, 180_000);

  it('delays only later events of the key of a poison event, stores it, and logs it', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    const { log, said } = listening();
    const bad = event('bad', 1);
    // Many times what a partition may hold (128).
    const others = 600;
    await fixture.tell(bad, event('bad', 2), ...rounds(others, 1));
    const keep = fixture.databases.keepEffect('taker');
    const seen: string[] = [];
    const atTries: number[] = [];
    const handle = async (envelope: Envelope): Promise<void> => {
      if (envelope.id === bad.id) {
        // A cancelled statement is no try, until all others have passed.
        if (seen.length < others) throw Object.assign(new Error('cancelled'), { code: '57014' });
        atTries.push(seen.length);
        throw new Error('a bug');
      }
      await keep(envelope);
      seen.push(envelope.key);
    };
    fixture.member({ handle }, { log, retry: { tries: 3, firstDelayMs: 10, maxDelayMs: 10 } });
    await until(() => seen.length === others + 1);
    // Its first counted try came after all other keys.
    expect(atTries).toEqual([others, others, others]);
    expect(seen.at(-1)).toBe('bad');
    expect(await fixture.databases.deadLetters.list({ limit: 10 })).toEqual([
      expect.objectContaining({
        group: 'taker',
        topic: 'things',
        key: 'bad',
        eventId: bad.id,
        reason: 'tries_exhausted',
        tries: 3,
      }),
    ]);
    expect(said.filter(({ facts }) => facts['code'] === 'dead_letter')).toHaveLength(1);
    await until(async () => (await fixture.committed()) === others + 2);
  }, 60_000);

  it('makes dead letters of what is no event of ours or cannot be read, and goes on', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    const good = event('a', 1);
    const unknown = { ...event('b', 1), type: 'thing.unmade' } as unknown as Envelope;
    const tooBig = { ...event('c', 1), data: { n: 1, pad: 'x'.repeat(MAX_ENVELOPE_BYTES) } } as unknown as Envelope;
    const strangers = [
      { key: null, value: 'anything' },
      { key: 'd', value: 'not JSON' },
      { key: 'd', value: null },
      { key: 'd', value: Buffer.from('{"a":"\0"}') },
      { key: 'd', value: Buffer.from([0x7b, 0xff, 0xfe, 0x7d]) },
      { key: Buffer.from([0xff, 0x00]), value: '{}' },
      { key: 'k'.repeat(10_000), value: '{}' },
      { key: 'd', value: '{}', headers: { 'event-id': 'no uuid', sequence: '-1' } },
    ];
    await fixture.tellRaw(...strangers, messageOf(unknown), messageOf(tooBig), messageOf(good));
    fixture.member();
    await until(async () => (await effectCount()) === 1);
    await until(async () => (await fixture.committed()) === strangers.length + 3);
    const deadLetters = await fixture.databases.deadLetters.list({ limit: 50 });
    expect(deadLetters).toHaveLength(strangers.length + 2);
    expect(new Set(deadLetters.map(({ eventId }) => eventId)).size).toBe(deadLetters.length);
    const reasons = deadLetters.map(({ reason }) => reason).sort();
    expect(reasons).toEqual([...Array<string>(strangers.length).fill('foreign'), 'malformed', 'too_big']);
  }, 60_000);

  it('continues at the committed offset when a member vanished', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    await fixture.tell(...rounds(5, 1));
    const held: string[] = [];
    // Four done, one hangs: the run of done rows ends before it. Then the member dies.
    const cable = new Cable();
    const handle = async (envelope: Envelope): Promise<void> => {
      if (envelope.key !== 'k2') return fixture.databases.keepEffect('taker')(envelope);
      held.push(envelope.key);
      return new Promise(() => undefined);
    };
    const dead = fixture.member({ handle }, { kafka: () => cable.client(fixture) });
    await until(async () => (await effectCount()) === 4 && held.length === 1);
    await until(async () => (await fixture.committed()) === 2);
    cable.cut();
    const heir = fixture.member();
    await until(async () => (await effectCount()) === 5, 60_000);
    await until(async () => (await fixture.committed()) === 5, 60_000);
    expect((await fixture.databases.effects()).map(({ key }) => key).sort()).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
    expect([heir.ready(), dead.ready()]).toEqual([true, expect.stringContaining('Kafka is away')]);
  }, 90_000);

  it('drains fast (a figure, not a judgement)', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 4);
    const count = atDepth({ commit: 3_000, whole: 10_000 });
    for (let n = 0; n < count; n += 500)
      await fixture.tell(...Array.from({ length: 500 }, (_, i) => event(String(n + i), 1)));
    let seen = 0;
    let began = 0;
    fixture.member({
      handle: async () => {
        seen += 1;
        if (seen === 1) began = performance.now();
      },
    });
    await until(() => seen === count, 60_000);
    process.stdout.write(
      `Kafka group, no-op handler: ${Math.round((count / (performance.now() - began)) * 1_000)} events/s\n`,
    );
    expect(seen).toBe(count);
  }, 120_000);
});

describeWithKafka(describe)('a group on a Kafka that knows all its requests', () => {
  it('keeps one dead letter of what is handed to it again', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    const unknown = { ...event('b', 1), type: 'thing.unmade' } as unknown as Envelope;
    await fixture.tellRaw(
      { key: null, value: 'anything' },
      { key: 'd', value: null },
      messageOf(unknown),
      messageOf(event('a', 1)),
    );
    const member = fixture.member();
    await until(async () => (await fixture.committed()) === 4);
    const deadLetters = await fixture.databases.deadLetters.list({ limit: 50 });
    expect(deadLetters).toHaveLength(3);
    await member.stop();
    await fixture.admin.setOffsets({
      groupId: brokerName(fixture.connection, 'taker'),
      topic: fixture.topic,
      partitions: [{ partition: 0, offset: '0' }],
    });
    const handedOver: number[] = [];
    fixture.member({
      handle: async (envelope) => (handedOver.push(envelope.sequence), fixture.databases.keepEffect('taker')(envelope)),
    });
    await until(() => handedOver.length === 1);
    await until(async () => (await fixture.committed()) === 4);
    expect(await fixture.databases.deadLetters.list({ limit: 50 })).toEqual(deadLetters);
    expect(await effectCount()).toBe(1);
  }, 60_000);

  it('holds a limited part of a partition in memory, keeps its heartbeat while waiting, and takes the rest when there is room', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    // More than the mock keeps.
    const pad = 'x'.repeat(20_000);
    const events = Array.from(
      { length: 400 },
      (_, n) => ({ ...event(`k${n}`, 1), data: { n: 1, pad } }) as unknown as Envelope,
    );
    for (let n = 0; n < events.length; n += 20) await fixture.tell(...events.slice(n, n + 20));
    let seen = 0;
    let releaseClaim: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (releaseClaim = resolve));
    const member = fixture.member({ handle: async () => (await gate, void (seen += 1)) });
    await until(() => member.inHand[0]?.isPaused === true);
    const { nextOffset } = member.inHand[0]!;
    expect(Number(nextOffset)).toBeLessThan(400);
    // Longer than the session: only heartbeats keep the membership.
    await workOf(SESSION_MS + 1_500);
    expect(member.ready()).toBe(true);
    expect(member.inHand[0]!.nextOffset).toBe(nextOffset);
    releaseClaim();
    await until(() => seen === 400);
    await until(async () => (await fixture.committed()) === 400);
  }, 90_000);

  it('ends the handlers under way at stop, commits what they did, and begins nothing more', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    await fixture.tell(...rounds(60, 1));
    const begun: string[] = [];
    let ended = 0;
    const handle = async ({ key }: Envelope): Promise<void> => {
      begun.push(key);
      await workOf(300);
      ended += 1;
    };
    const member = fixture.member({ handle, concurrency: 10 });
    await until(() => begun.length >= 10);
    await member.stop();
    expect([begun.length, ended]).toEqual([begun.length, begun.length]);
    expect(begun.length).toBeLessThan(60);
    expect(await fixture.committed()).toBe(ended);
    expect(member.ready()).not.toBe(true);
    const [{ members } = { members: [] }] = (
      await fixture.admin.describeGroups([brokerName(fixture.connection, 'taker')])
    ).groups;
    expect(members).toEqual([]);
  }, 60_000);

  it('starts at the oldest message if its offset was deleted', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    await fixture.tell(...rounds(10, 1));
    const first = fixture.member();
    await until(async () => (await fixture.committed()) === 10);
    await first.stop();
    await fixture.tell(...rounds(10, 2).slice(10));
    await fixture.admin.deleteTopicRecords({ topic: fixture.topic, partitions: [{ partition: 0, offset: '15' }] });
    fixture.member();
    await until(async () => (await fixture.committed()) === 20);
    expect(await effectCount()).toBe(15);
  }, 60_000);

  it('waits for a topic that is not there yet, and says so', async () => {
    fixture = await KafkaFixture.fresh(broker, server, 1);
    const member = fixture.member({ group: 'early', topics: ['things', 'later'] });
    await until(() => String(member.ready()).includes('a topic is not there yet'), 30_000);
    await fixture.makeTopic('later');
    await until(() => member.ready() === true, 30_000);
  }, 90_000);
});
