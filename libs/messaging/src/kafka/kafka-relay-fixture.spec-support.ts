import { expect } from '@jest/globals';
import type { Envelope } from '@vuka/contracts';
import type { Database } from '@vuka/persistence';
import { WakeSignal } from '@vuka/runtime';

import { quiet, until, type TestServer } from '../postgres.spec-support.js';
import { append, catalogue, clock, event, type Said } from '../event-bus.spec-support.js';
import type { KafkaConnection } from './kafka-connection.js';
import { ensureTopics } from './kafka-topics.js';
import { TopicReader, type SpecBroker } from './kafka.spec-support.js';
import { KafkaRelay, type KafkaRelayOptions } from './relay/kafka-relay.js';

/** One process: a relay with its own signal and counts. */
export class Publisher {
  public readonly signal = new WakeSignal();
  public published = 0;
  public holds = false;
  private readonly relay: KafkaRelay;

  public constructor(db: Database, connection: KafkaConnection, over: Partial<KafkaRelayOptions> = {}) {
    const metrics = {
      published: (events: number) => void (this.published += events),
      outboxAge: () => undefined,
      isHolder: (yes: boolean) => void (this.holds = yes),
    };
    const options = { connection, clientId: 'maker', log: quiet, clock, catalogue, metrics, ...over };
    this.relay = new KafkaRelay({ service: 'maker', db, signal: this.signal }, options);
  }

  public start(): Promise<void> {
    return this.relay.start();
  }

  public ready(): true | string {
    return this.relay.ready();
  }

  public stop(): Promise<void> {
    return this.relay.stop();
  }
}

/** A maker's outbox, its publishers, and topic readers. */
export class RelayFixture {
  private readonly running: { stop(): Promise<void> }[] = [];

  private constructor(
    private readonly broker: SpecBroker,
    public readonly maker: Database,
    public readonly connection: KafkaConnection,
  ) {}

  public static async fresh(broker: SpecBroker, server: TestServer): Promise<RelayFixture> {
    const { maker } = await server.freshDatabases();
    return new RelayFixture(broker, maker, broker.freshConnection());
  }

  /** The mock creates topics by name. */
  public async topics(): Promise<void> {
    if (this.broker.kind === 'real')
      await ensureTopics(this.connection, quiet, { partitions: 3, replication: 1, retentionMs: 3_600_000, catalogue });
  }

  public async publisher(over: Partial<KafkaRelayOptions> = {}): Promise<Publisher> {
    const publisher = new Publisher(this.maker, this.connection, over);
    this.endsWith(publisher);
    await publisher.start();
    return publisher;
  }

  public async reader(topic = 'things'): Promise<TopicReader> {
    const reader = await TopicReader.of(this.broker, this.connection, topic);
    this.endsWith(reader);
    return reader;
  }

  public endsWith(one: { stop(): Promise<void> }): void {
    this.running.push(one);
  }

  public async tell(publisher: Publisher, ...envelopes: Envelope[]): Promise<void> {
    await append(this.maker, envelopes);
    publisher.signal.notify();
  }

  /** Kills the connection with the lock, as if its process died; false if there is none. */
  public async killHolder(): Promise<boolean> {
    const [row] = await this.maker.query<{ killed: boolean }>(
      `select pg_terminate_backend(l.pid) as killed from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.granted and a.application_name = 'maker lock' and a.datname = current_database()`,
    );
    return row?.killed === true;
  }

  /** Idle so long that the holder polls only every second. */
  public async isSeldomLooking(): Promise<boolean> {
    const [row] = await this.maker.query<{ quiet: boolean }>(
      `select clock_timestamp() - query_start between interval '500 ms' and interval '800 ms' as quiet from pg_stat_activity
       where application_name = 'maker lock' and datname = current_database() and query like '%outbox_read%'`,
    );
    return row?.quiet === true;
  }

  /**
   * As real writers: lock the key before the first write, and often commit late or never. Returns committed counts by
   * key.
   */
  public async write(writers: number, rounds: number, signals: readonly WakeSignal[]): Promise<Map<string, number>> {
    const committed = new Map<string, number>();
    const writer = async (w: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        const key = `w${w}-${round % 3}`;
        const from = committed.get(key) ?? 0;
        const size = 1 + ((w + round) % 3);
        const isUndone = (w * 7 + round) % 11 === 0;
        await this.maker
          .inTransaction(async (tx) => {
            await append(
              tx,
              Array.from({ length: size }, (_, i) => event(key, from + i + 1)),
            );
            if ((w + round) % 3 === 0) await tx.query('select pg_sleep($1)', [((w * 13 + round * 7) % 6) / 1_000]);
            if (isUndone) throw new Error('undone');
          })
          .then(
            () => committed.set(key, from + size),
            () => undefined,
          );
        signals[(w + round) % signals.length]?.notify();
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, w) => writer(w)));
    return committed;
  }

  public async stop(): Promise<void> {
    await Promise.all(this.running.splice(0).map((one) => one.stop()));
  }
}

export const many = (n: number, keys = 7): Envelope[] =>
  Array.from({ length: n }, (_, i) => event(`k${i % keys}`, Math.floor(i / keys) + 1));
export const alarms = (said: readonly Said[]): unknown[] =>
  said.flatMap(({ facts }) => (facts['code'] === undefined ? [] : [facts['code']]));
export const totalOf = (committed: ReadonlyMap<string, number>): number =>
  [...committed.values()].reduce((sum, n) => sum + n, 0);

/** Each key in order and in one partition. */
export async function expectAllInOrder(read: TopicReader, committed: ReadonlyMap<string, number>): Promise<void> {
  await until(() => read.distinct >= totalOf(committed), 60_000);
  const wanted = Object.fromEntries(
    [...committed].map(([key, n]) => [key, Array.from({ length: n }, (_, i) => i + 1)]),
  );
  expect(Object.fromEntries(read.firstSeen())).toEqual(wanted);
  const places = new Map<string, Set<number>>();
  for (const { key, partition } of read.messages)
    places.set(String(key), (places.get(String(key)) ?? new Set()).add(partition));
  expect([...places.values()].every((partitions) => partitions.size === 1)).toBe(true);
}
