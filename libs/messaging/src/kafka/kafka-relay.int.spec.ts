import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { WakeSignal } from '@vuka/platform';

import { TestServer, quiet, until } from '../postgres.spec-support.js';
import { append, catalogue, clock, event, listening, type Said } from '../wire.spec-support.js';
import { kafkaClient } from './kafka-client.js';
import type { KafkaConnection } from './kafka-connection.js';
import { KafkaRelay, type KafkaRelayOptions } from './kafka-relay.js';
import { ensureTopics } from './kafka-topics.js';
import { TestBroker, TopicReader } from './kafka.spec-support.js';

let server: TestServer;
let broker: TestBroker;
let maker: Database;
let connection: KafkaConnection;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [server, broker] = await Promise.all([TestServer.start(), TestBroker.start()]);
}, 120_000);
beforeEach(async () => {
  ({ maker } = await server.freshDatabases());
  connection = broker.freshConnection();
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
}, 30_000);
afterAll(async () => {
  await Promise.all([server.stop(), broker.stop()]);
}, 60_000);

/** One process of the maker's: a relay with a signal of its own, and what it counts. */
class Instance {
  public readonly signal = new WakeSignal();
  public published = 0;
  public holds = false;
  private readonly relay: KafkaRelay;

  public constructor(over: Partial<KafkaRelayOptions> = {}) {
    const metrics = { published: (events: number) => void (this.published += events), outboxAge: () => undefined, isHolder: (yes: boolean) => void (this.holds = yes) };
    const options = { connection, clientId: 'maker', log: quiet, clock, catalogue, metrics, ...over };
    this.relay = new KafkaRelay({ service: 'maker', db: maker, signal: this.signal }, options);
  }

  public static async started(over: Partial<KafkaRelayOptions> = {}): Promise<Instance> {
    const instance = new Instance(over);
    running.push(instance);
    await instance.relay.start();
    return instance;
  }

  public ready(): true | string {
    return this.relay.ready();
  }

  public stop(): Promise<void> {
    return this.relay.stop();
  }
}

const topics = (): Promise<unknown> => ensureTopics(connection, quiet, { partitions: 3, replication: 1, retentionMs: 3_600_000, catalogue });
async function reader(topic = 'things'): Promise<TopicReader> {
  const made = await TopicReader.of(connection, topic);
  running.push(made);
  return made;
}
async function tell(instance: Instance, ...envelopes: Parameters<typeof append>[1][number][]): Promise<void> {
  await append(maker, envelopes);
  instance.signal.notify();
}
const many = (n: number, keys = 7): ReturnType<typeof event>[] => Array.from({ length: n }, (_, i) => event(`k${i % keys}`, Math.floor(i / keys) + 1));
const alarms = (said: readonly Said[]): unknown[] => said.flatMap(({ facts }) => (facts['code'] === undefined ? [] : [facts['code']]));
/** Ends the connection that holds the lock, as when its process is killed; false where nobody holds it. */
async function killHolder(): Promise<boolean> {
  const [row] = await maker.query<{ killed: boolean }>(
    `select pg_terminate_backend(l.pid) as killed from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and a.application_name = 'maker lock' and a.datname = current_database()`,
  );
  return row?.killed === true;
}

/** Nothing has come for so long that the holder looks every 250 ms only. */
async function isSeldomLooking(): Promise<boolean> {
  const [row] = await maker.query<{ quiet: boolean }>(
    `select clock_timestamp() - query_start between interval '120 ms' and interval '200 ms' as quiet from pg_stat_activity
     where application_name = 'maker lock' and datname = current_database() and query like '%outbox_read%'`,
  );
  return row?.quiet === true;
}

/**
 * Writers as services are: each locks its key before the first write, writes, and often commits late or not at all. Gives what
 * was committed, by key.
 */
async function write(writers: number, rounds: number, signals: readonly WakeSignal[], until_ = (): boolean => false): Promise<Map<string, number>> {
  const committed = new Map<string, number>();
  const writer = async (w: number): Promise<void> => {
    for (let round = 0; round < rounds && !until_(); round += 1) {
      const key = `w${w}-${round % 3}`;
      const from = committed.get(key) ?? 0;
      const size = 1 + ((w + round) % 3);
      const isUndone = (w * 7 + round) % 11 === 0;
      await maker
        .inTransaction(async (tx) => {
          await append(tx, Array.from({ length: size }, (_, i) => event(key, from + i + 1)));
          if ((w + round) % 3 === 0) await tx.query('select pg_sleep($1)', [((w * 13 + round * 7) % 6) / 1_000]);
          if (isUndone) throw new Error('undone');
        })
        .then(() => committed.set(key, from + size), () => undefined);
      signals[(w + round) % signals.length]?.notify();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, w) => writer(w)));
  return committed;
}

const totalOf = (committed: ReadonlyMap<string, number>): number => [...committed.values()].reduce((sum, n) => sum + n, 0);
function expectAllInOrder(read: TopicReader, committed: ReadonlyMap<string, number>): void {
  const wanted = Object.fromEntries([...committed].map(([key, n]) => [key, Array.from({ length: n }, (_, i) => i + 1)]));
  expect(Object.fromEntries(read.firstSeen())).toEqual(wanted);
  const places = new Map<string, Set<number>>();
  for (const { key, partition } of read.messages) places.set(String(key), (places.get(String(key)) ?? new Set()).add(partition));
  expect([...places.values()].every((partitions) => partitions.size === 1)).toBe(true);
}

describe('an outbox on its way to Kafka', () => {
  it('comes as it was written: text, key, and headers for whoever does not read the text', async () => {
    await topics();
    const [read, instance] = [await reader(), await Instance.started()];
    const said = event('a', 1);
    await tell(instance, said, { ...event('b', 1), id: '00000000-0000-7000-8000-000000000000' });
    await until(() => read.messages.length === 2);
    const message = read.messages.find(({ key }) => String(key) === 'a')!;
    expect(JSON.parse(String(message.value))).toEqual(said);
    expect(Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]))).toEqual({
      'event-id': said.id, sequence: '1', type: 'thing.made', traceparent: 'd',
    });
    expect(instance.ready()).toBe(true);
  }, 30_000);

  it('is put in order where two writers of a key took their turns the other way round', async () => {
    await topics();
    const [read, instance] = [await reader(), await Instance.started()];
    await tell(instance, ...[3, 1, 2].map((n) => event('a', n)), event('b', 1));
    await until(() => read.distinct === 4);
    expect(read.messages.filter(({ key }) => String(key) === 'a').map(({ headers }) => String(headers?.['sequence']))).toEqual(['1', '2', '3']);
  }, 30_000);

  it('is complete and in order per key, whoever commits late, whoever publishes, and however often that changes', async () => {
    await topics();
    const read = await reader();
    const [a, b] = [await Instance.started(), await Instance.started()];
    let isWritten = false;
    const handovers = (async (): Promise<number> => {
      let count = 0;
      while (!isWritten) {
        const before = a.published + b.published;
        await until(() => isWritten || a.published + b.published > before + 100);
        if (!isWritten && (await killHolder())) count += 1;
      }
      return count;
    })();
    const committed = await write(16, 400, [a.signal, b.signal]);
    isWritten = true;
    const count = await handovers;
    await until(() => read.distinct >= totalOf(committed));
    expectAllInOrder(read, committed);
    expect(count).toBeGreaterThanOrEqual(2);
    expect(totalOf(committed)).toBeGreaterThan(8_000);
  }, 120_000);

  it('is published by one at a time; the next one goes on where it stopped', async () => {
    await topics();
    const read = await reader();
    const a = await Instance.started();
    await until(() => a.holds);
    const b = await Instance.started();
    await tell(a, ...many(700));
    await until(() => read.distinct === 700 && a.published === 700);
    expect([a.published, b.published, b.holds, b.ready()]).toEqual([700, 0, false, true]);
    await a.stop();
    await until(() => b.holds, 5_000);
    await tell(b, ...many(700).map((envelope) => ({ ...envelope, key: `later-${envelope.key}` })));
    await until(() => read.distinct === 1_400 && b.published === 700);
    // Stopped in order, it leaves nothing to say twice.
    expect([read.messages.length, a.published, b.published, a.holds]).toEqual([1_400, 700, 700, false]);
  }, 60_000);

  it('goes on over a holder’s connection that was cut, by itself where nobody else is there', async () => {
    await topics();
    const read = await reader();
    const a = await Instance.started();
    await until(() => a.holds);
    expect(await killHolder()).toBe(true);
    await until(() => !a.holds);
    await tell(a, event('a', 1));
    await until(() => read.distinct === 1, 5_000);
    expect(a.holds).toBe(true);
  }, 30_000);
});

describe('a word from a process that stands by', () => {
  it('reaches the holder, and many of them are few to the database', async () => {
    await topics();
    const read = await reader();
    const a = await Instance.started();
    await until(() => a.holds);
    const b = await Instance.started();
    const ear = (await maker.lockSession('ear'))!;
    let heard = 0;
    await ear.listen('maker_outbox', () => (heard += 1));
    const tookMs: number[] = [];
    for (let n = 1; n <= 15; n += 1) {
      await until(isSeldomLooking);
      await append(maker, [event('a', n)]);
      const at = performance.now();
      b.signal.notify();
      await until(() => read.distinct === n);
      tookMs.push(performance.now() - at);
    }
    // By looking alone half of them would take more than 125 ms.
    expect(tookMs.sort((x, y) => x - y)[7]).toBeLessThan(90);
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

describe('a broker that is not there', () => {
  it('paused in the middle costs patience and no event', async () => {
    await topics();
    const read = await reader();
    const { log, said } = listening();
    const a = await Instance.started({ log });
    const pausing = (async () => {
      await until(() => a.published > 300);
      broker.pause();
      // So long that a batch is given up and sent again: it is there twice then.
      await until(() => said.some(({ facts }) => String(facts['said']).includes('timed out')), 40_000);
      broker.goOn();
    })();
    const committed = await write(8, 400, [a.signal]);
    await pausing;
    await until(() => read.distinct >= totalOf(committed), 60_000);
    expectAllInOrder(read, committed);
  }, 120_000);

  it('killed and started again: nothing is lost, it is said once, and again when it is over', async () => {
    await topics();
    const read = await reader();
    const { log, said } = listening();
    const a = await Instance.started({ log });
    const writing = write(8, 300, [a.signal]);
    await until(() => a.published > 300);
    await broker.killAndRestart(async () => {
      await until(() => alarms(said).includes('kafka_away'), 30_000);
      // Payments go on meanwhile.
      expect(a.ready()).toBe(true);
    });
    const committed = await writing;
    await until(() => read.distinct >= totalOf(committed), 60_000);
    expectAllInOrder(read, committed);
    expect(alarms(said)).toEqual(['kafka_away']);
    expect(said.filter(({ text }) => text.startsWith('events flow again: Kafka'))).toHaveLength(1);
  }, 120_000);

  it('when nothing has begun yet is waited for, and stop() waits for no broker', async () => {
    const nobody = { ...connection, brokers: ['127.0.0.1:1'] };
    const { log, said } = listening();
    const a = await Instance.started({ connection: nobody, log });
    await tell(a, event('a', 1));
    await until(() => alarms(said).includes('kafka_away'), 30_000);
    const at = performance.now();
    await a.stop();
    expect(performance.now() - at).toBeLessThan(7_000);
    expect(await maker.query("select 1 from outbox_cursors where consumer_group = 'kafka'")).toEqual([]);
  }, 60_000);
});

describe('a broker that refuses', () => {
  it('because nobody made the topic: an alarm, and the events come when it is there', async () => {
    const { log, said } = listening();
    const a = await Instance.started({ log });
    await tell(a, ...many(20));
    await until(() => alarms(said).includes('kafka_refuses'), 30_000);
    expect(said.find(({ facts }) => facts['code'] === 'kafka_refuses')?.facts).toMatchObject({ reason: 'UNKNOWN_TOPIC_OR_PARTITION', service: 'maker' });
    await topics();
    const read = await reader();
    await until(() => read.distinct === 20, 30_000);
    expectAllInOrder(read, new Map(Array.from({ length: 7 }, (_, k) => [`k${k}`, k < 6 ? 3 : 2])));
  }, 60_000);

  it('because a batch is too large: smaller ones are sent; a message alone: an alarm, until it is taken', async () => {
    await topics();
    const admin = kafkaClient(connection, 'test', quiet).admin();
    await admin.connect();
    running.push({ stop: () => admin.disconnect() });
    const limit = (bytes: string): Promise<unknown> =>
      admin.alterConfigs({ validateOnly: false, resources: [{ type: 2, name: `${connection.prefix}things`, configEntries: [{ name: 'max.message.bytes', value: bytes }] }] });
    await limit('5000');
    const read = await reader();
    const { log, said } = listening();
    const a = await Instance.started({ log });
    await tell(a, ...many(140));
    await until(() => read.distinct === 140);
    expect(alarms(said)).toEqual([]);
    await tell(a, { ...event('big', 1), correlationId: 'c'.repeat(20_000) }, event('big', 2));
    await until(() => alarms(said).includes('kafka_refuses'), 30_000);
    expect(said.find(({ facts }) => facts['code'] === 'kafka_refuses')?.facts['reason']).toBe('MESSAGE_TOO_LARGE');
    expect(read.firstSeen().has('big')).toBe(false);
    await limit('1000000');
    await until(() => read.distinct === 142, 30_000);
    expect(read.firstSeen().get('big')).toEqual([1, 2]);
  }, 90_000);
});

describe('an outbox that another release writes to', () => {
  it('is published with its new topics, however little this one knows of them', async () => {
    const later = { events: {}, topics: { ...catalogue.topics, 'later.things': { owner: 'maker', consumers: [] } } };
    await ensureTopics(connection, quiet, { partitions: 1, replication: 1, retentionMs: 3_600_000, catalogue: later });
    const [old, fresh, a] = [await reader(), await reader('later.things'), await Instance.started()];
    await append(maker, [event('a', 1)], 'later.things');
    await tell(a, event('a', 1), event('a', 2));
    await until(() => fresh.distinct === 1 && old.distinct === 2);
    expect(String(fresh.messages[0]?.value)).toContain('thing.made');
  }, 30_000);
});

describe('a database that came out of a dump', () => {
  it('whose cursors are ahead of it: an alarm, and nothing is skipped', async () => {
    await topics();
    await append(maker, [event('a', 1)]);
    await maker.query("insert into outbox_cursors values ('kafka', 3, '9000000000', 1)");
    const { log, said } = listening();
    const [read, a] = [await reader(), await Instance.started({ log })];
    await until(() => alarms(said).includes('relay_failed'));
    expect(said.find(({ facts }) => facts['code'] === 'relay_failed')?.facts['detail']).toContain('ahead of this database');
    expect([a.published, a.holds, a.ready()]).toEqual([0, false, true]);
    await maker.query("delete from outbox_cursors where consumer_group = 'kafka'");
    await until(() => read.distinct === 1);
    expect(alarms(said)).toEqual(['relay_failed']);
  }, 60_000);
});
