import type { Envelope } from '@vuka/contracts';
import type { Database, Transaction } from '@vuka/persistence';
import { type Logger, ManualClock, uuidv7, WakeSignal } from '@vuka/runtime';
import { z } from 'zod';

import { macsOf } from './authors/authors.spec-support.js';
import { DeadLetterStore } from './dead-letters/dead-letters.js';
import type { Subscription } from './delivery/subscription.js';
import { EmbeddedEventBus } from './embedded/embedded-event-bus.js';
import type { EventCatalogue } from './envelope.js';
import { bucketOf } from './outbox/buckets.js';
import { onceByInbox } from './outbox/inbox.js';
import { quiet, type TestServer } from './postgres.spec-support.js';
import type { EventBusOptions } from './event-bus.js';

export const catalogue: EventCatalogue = {
  events: { 'thing.made': { topic: 'things', version: 1, data: z.object({ n: z.int() }) } },
  topics: { things: { owner: 'maker', consumers: ['taker', 'other'] } },
};
export const clock = new ManualClock(new Date('2026-11-21T10:00:00.000Z'));

export function event(key: string, n: number): Envelope {
  return {
    id: uuidv7(),
    type: 'thing.made',
    version: 1,
    key,
    sequence: n,
    occurredAt: clock.now().toISOString(),
    correlationId: 'c',
    causationId: 'd',
    producer: 'maker',
    data: { n },
  } as unknown as Envelope;
}

export const numberOf = (envelope: Envelope): number => (envelope.data as unknown as { n: number }).n;

/** appendToOutbox for the tests' own catalogue, signed by the maker unless `macs` says otherwise. */
export async function append(
  tx: Pick<Transaction, 'query'>,
  envelopes: readonly Envelope[],
  topic = 'things',
  macs: (topic: string, text: string) => string | null = macsOf,
): Promise<void> {
  await tx.query(
    `insert into outbox (bucket, topic, key, sequence, event_id, envelope, created_at, macs)
     select * from unnest($1::smallint[], $2::text[], $3::text[], $4::integer[], $5::uuid[], $6::text[], $7::timestamptz[], $8::text[])`,
    [
      envelopes.map(({ key }) => bucketOf(key)),
      envelopes.map(() => topic),
      envelopes.map(({ key }) => key),
      envelopes.map(({ sequence }) => sequence),
      envelopes.map(({ id }) => id),
      envelopes.map((envelope) => JSON.stringify(envelope)),
      envelopes.map(({ occurredAt }) => occurredAt),
      envelopes.map((envelope) => macs(topic, JSON.stringify(envelope))),
    ],
  );
}

export interface Said {
  readonly level: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A logger that keeps all lines. */
export function listening(): { log: Logger; said: Said[] } {
  const said: Said[] = [];
  const hear = (level: string) => (facts: Record<string, unknown>, text: string) =>
    void said.push({ level, facts, text });
  const levels = Object.fromEntries(['error', 'warn', 'info', 'debug'].map((level) => [level, hear(level)]));
  return { log: { ...levels, child: () => quiet } as unknown as Logger, said };
}

/** Producer and consumer on a fresh database. */
export class EventBusFixture {
  public readonly signal = new WakeSignal();
  private readonly eventBuses: EmbeddedEventBus[] = [];

  private constructor(
    public readonly maker: Database,
    public readonly taker: Database,
  ) {}

  public static async fresh(server: TestServer): Promise<EventBusFixture> {
    const { maker, taker } = await server.freshDatabases();
    return new EventBusFixture(maker, taker);
  }

  public get deadLetters(): DeadLetterStore {
    return new DeadLetterStore(this.taker);
  }

  public async eventBus(
    subscriptions: readonly Partial<Subscription>[],
    over: Partial<EventBusOptions> = {},
  ): Promise<EmbeddedEventBus> {
    const retry = { tries: 3, firstDelayMs: 1, maxDelayMs: 4 };
    const eventBus = new EmbeddedEventBus({ log: quiet, clock, catalogue, retry, replayPollMs: 10, ...over });
    this.eventBuses.push(eventBus);
    eventBus.attachProducer({ service: 'maker', db: this.maker, signal: this.signal });
    for (const subscription of subscriptions) {
      eventBus.subscribe({
        group: 'taker',
        topics: ['things'],
        deadLetters: this.deadLetters,
        handle: () => Promise.resolve(),
        ...subscription,
      });
    }
    await eventBus.start();
    return eventBus;
  }

  /** One commit; wakes the event buses. */
  public async tell(...envelopes: Envelope[]): Promise<void> {
    await append(this.maker, envelopes);
    this.signal.notify();
  }

  /** As real handlers: the effect in the commit of the inbox mark. */
  public keepEffect(group: string): (envelope: Envelope) => Promise<void> {
    return async (envelope) => {
      await onceByInbox(this.taker, group, envelope, async (tx) => {
        await tx.query('insert into effects values ($1, $2, $3)', [envelope.id, envelope.key, numberOf(envelope)]);
      });
    };
  }

  public async effectCount(): Promise<number> {
    const [row] = await this.taker.query<{ count: number }>('select count(*)::integer as count from effects');
    return row!.count;
  }

  /** In order of writing. */
  public async effects(): Promise<{ event_id: string; key: string; n: number }[]> {
    return this.taker.query('select event_id::text, key, n from effects order by place');
  }

  public async stop(): Promise<void> {
    await Promise.all(this.eventBuses.splice(0).map((eventBus) => eventBus.stop()));
  }
}
