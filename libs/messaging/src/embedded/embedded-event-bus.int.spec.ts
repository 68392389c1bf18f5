import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { WakeSignal } from '@vuka/runtime';
import { atDepth } from '@vuka/testing';

import { DeadLetterStore } from '../dead-letters/dead-letters.js';
import type { Subscription } from '../delivery/subscription.js';
import { onceByInbox } from '../outbox/inbox.js';
import { quiet, TestServer, until } from '../postgres.spec-support.js';
import type { Producer, EventBusOptions } from '../event-bus.js';
import { append, catalogue, clock, event, numberOf } from '../event-bus.spec-support.js';
import { EmbeddedEventBus } from './embedded-event-bus.js';

let server: TestServer;
let maker: Database;
let taker: Database;
let signal: WakeSignal;
const eventBuses: EmbeddedEventBus[] = [];

beforeAll(async () => {
  server = await TestServer.start();
}, 60_000);
afterEach(async () => {
  await Promise.all(eventBuses.splice(0).map((eventBus) => eventBus.stop()));
});
afterAll(async () => {
  await server.stop();
}, 60_000);

async function fresh(connections?: number): Promise<void> {
  ({ maker, taker } = await server.freshDatabases(connections));
  signal = new WakeSignal();
}

async function eventBusWith(
  subscriptions: readonly Partial<Subscription>[],
  over: Partial<EventBusOptions> = {},
  db: Producer['db'] = maker,
): Promise<EmbeddedEventBus> {
  const eventBus = new EmbeddedEventBus({
    log: quiet,
    clock,
    catalogue,
    retry: { tries: 3, firstDelayMs: 1, maxDelayMs: 4 },
    ...over,
  });
  eventBuses.push(eventBus);
  eventBus.attachProducer({ service: 'maker', db, signal });
  for (const subscription of subscriptions) {
    eventBus.subscribe({
      group: 'taker',
      topics: ['things'],
      deadLetters: new DeadLetterStore(taker),
      handle: () => Promise.resolve(),
      ...subscription,
    });
  }
  await eventBus.start();
  return eventBus;
}

async function deadLetters(
  group = 'taker',
): Promise<{ reason: string; detail: string; event_id: string; tries: number; envelope: string | null }[]> {
  return taker.query('select reason, detail, event_id, tries, envelope from dead_letters where consumer_group = $1', [
    group,
  ]);
}

describe('the embedded event bus loses nothing', () => {
  it('where a transaction commits after a later one was read', async () => {
    await fresh();
    const seen: number[] = [];
    await eventBusWith([{ handle: async (envelope) => void seen.push(numberOf(envelope)) }]);
    let naiveLast = '0';
    const naive: number[] = [];
    const naiveRead = async (): Promise<void> => {
      const rows = await maker.query<{ id: string; n: number }>(
        "select id, (envelope::jsonb->'data'->>'n')::int as n from outbox where id > $1 order by id",
        [naiveLast],
      );
      naive.push(...rows.map((row) => row.n));
      naiveLast = rows.at(-1)?.id ?? naiveLast;
    };
    await maker.inTransaction(async (slow) => {
      await append(slow, [event('a', 1)]);
      await maker.inTransaction((quick) => append(quick, [event('b', 2)]));
      signal.notify();
      await naiveRead();
    });
    await naiveRead();
    signal.notify();
    await until(() => seen.length === 2);
    expect(naive).toEqual([2]);
    expect(seen.sort()).toEqual([1, 2]);
  });

  it('from sixteen writers that commit late, and keeps the order of each key', async () => {
    await fresh();
    const perWriter = atDepth({ commit: 25, whole: 60 });
    const seen = new Map<string, number[]>();
    await eventBusWith([
      {
        handle: async (envelope) => {
          await new Promise(setImmediate);
          seen.set(envelope.key, [...(seen.get(envelope.key) ?? []), numberOf(envelope)]);
        },
      },
    ]);
    await Promise.all(
      Array.from({ length: 16 }, async (_, writer) => {
        for (let n = 1; n <= perWriter; n += 1) {
          await maker.inTransaction(async (tx) => {
            await append(tx, [event(`writer-${writer}`, n)]);
            if (n % 3 === writer % 3) await tx.query('select pg_sleep(0.003)');
          });
          signal.notify();
        }
      }),
    );
    await until(() => [...seen.values()].flat().length === 16 * perWriter);
    for (const numbers of seen.values())
      expect(numbers).toEqual(Array.from({ length: perWriter }, (_, index) => index + 1));
  });

  it('when no signal comes: it polls by itself', async () => {
    await fresh();
    const seen: number[] = [];
    await eventBusWith([{ handle: async (envelope) => void seen.push(numberOf(envelope)) }]);
    await append(maker, [event('a', 1)]);
    await until(() => seen.length === 1);
    expect(seen).toEqual([1]);
  });

  it('when the databases are away for a while', async () => {
    await fresh();
    const away = { is: true, asked: 0 };
    const flaky: Producer['db'] = {
      lockSession: (lock) => maker.lockSession(lock),
      query: async <T>(...args: Parameters<Database['query']>) => {
        if (args[0].includes('outbox_cursors where') || !away.is) return maker.query<T>(...args);
        away.asked += 1;
        throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
      },
    };
    const handled = { tries: 0, seen: [] as number[] };
    await append(maker, [event('a', 1), event('a', 2), event('b', 3)]);
    await eventBusWith(
      [
        {
          handle: async (envelope) => {
            handled.tries += 1;
            // More than the retry policy allows: an outage is no try.
            if (handled.tries <= 8) throw Object.assign(new Error('away'), { code: '57P01' });
            handled.seen.push(numberOf(envelope));
          },
        },
      ],
      {},
      flaky,
    );
    await until(() => away.asked > 0);
    away.is = false;
    await until(() => handled.seen.length === 3);
    expect(handled.seen.filter((n) => n < 3)).toEqual([1, 2]);
    expect(await deadLetters()).toEqual([]);
  }, 30_000);

  it('after a crash between handling and storing the cursor: delivered again, done once', async () => {
    await fresh();
    await append(
      maker,
      Array.from({ length: 40 }, (_, n) => event(`k${n % 7}`, n + 1)),
    );
    let deliveries = 0;
    const handle: Subscription['handle'] = async (envelope) => {
      deliveries += 1;
      await onceByInbox(taker, 'taker', envelope, async (tx) => {
        await tx.query('insert into effects values ($1, $2, $3)', [envelope.id, envelope.key, numberOf(envelope)]);
      });
    };
    const neverStores: Producer['db'] = {
      lockSession: (lock) => maker.lockSession(lock),
      query: async <T>(...args: Parameters<Database['query']>) => {
        if (args[0].startsWith('insert into outbox_cursors')) throw new Error('the process died here');
        return maker.query<T>(...args);
      },
    };
    const crashed = await eventBusWith([{ handle }], {}, neverStores);
    await until(() => deliveries === 40);
    await crashed.stop();
    signal = new WakeSignal();
    const next = await eventBusWith([{ handle }]);
    await until(() => deliveries === 80);
    await next.stop();
    const effects = await taker.query<{ n: number }>('select n from effects order by n');
    expect(effects.map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    const third = await eventBusWith([{ handle }]);
    await append(maker, [event('last', 99)]);
    await until(() => deliveries > 80);
    await third.stop();
    expect(deliveries).toBe(81);
  });
});

describe('the event bus', () => {
  it('still reads a partition by its key that was tiny when the plan was made', async () => {
    // One connection, so that its statistics are flushed by the query.
    await fresh(1);
    await maker.query(
      "create table outbox_y2026m11 partition of outbox for values from ('2026-11-01') to ('2026-12-01')",
    );
    const scans = async (): Promise<{ seq: string; index: string }> => {
      await maker.query('select pg_stat_force_next_flush()');
      const [counts] = await maker.query<{ seq: string; index: string }>(
        "select sum(seq_scan)::text as seq, sum(idx_scan)::text as index from pg_stat_user_tables where relname in ('outbox_default', 'outbox_y2026m11')",
      );
      return counts!;
    };
    let seen = 0;
    await eventBusWith([{ handle: async () => void (seen += 1) }]);
    // The session keeps a plan made for a tiny partition.
    for (let n = 1; n <= 20; n += 1) {
      if (n === 5) await maker.query('analyze outbox');
      await append(maker, [event('first', n)]);
      signal.notify();
      await until(() => seen === n);
    }
    const before = await scans();
    const more = atDepth({ commit: 6, whole: 20 });
    for (let n = 1; n <= more; n += 1)
      await append(
        maker,
        Array.from({ length: 500 }, (_, i) => event(`k${i}`, n)),
      );
    await until(() => seen === 20 + 500 * more);
    const after = await scans();
    expect(Number(after.index)).toBeGreaterThan(Number(before.index));
    expect(after.seq).toBe(before.seq);
  });

  it('passes over topics that are not the group’s', async () => {
    await fresh();
    const seen: number[] = [];
    await append(maker, [event('a', 1)], 'elsewhere');
    await append(maker, [event('a', 2)]);
    await eventBusWith([{ handle: async (envelope) => void seen.push(numberOf(envelope)) }]);
    await until(() => seen.length === 1);
    expect(seen).toEqual([2]);
    expect(await deadLetters()).toEqual([]);
  });

  it('refuses cursors that come from another cluster', async () => {
    await fresh();
    await maker.query("insert into outbox_cursors values ('taker', 0, '999999999999', 1)");
    await expect(eventBusWith([{}])).rejects.toThrow('ahead of this database');
  });

  it('refuses a topic whose owner is not attached, a group twice, and late changes', async () => {
    await fresh();
    const eventBus = new EmbeddedEventBus({ log: quiet, clock, catalogue });
    const subscription = {
      group: 'taker',
      topics: ['things'],
      deadLetters: new DeadLetterStore(taker),
      handle: () => Promise.resolve(),
    };
    eventBus.subscribe(subscription);
    expect(() => eventBus.subscribe(subscription)).toThrow('subscribed twice');
    await expect(eventBus.start()).rejects.toThrow('things of maker, whose outbox is not on the event bus');
    const running = await eventBusWith([]);
    expect(() => running.subscribe(subscription)).toThrow('too late');
  });

  it('drains fast (a figure, not a judgement)', async () => {
    await fresh();
    const count = atDepth({ commit: 10_000, whole: 50_000 });
    for (let n = 0; n < count; n += 500)
      await append(
        maker,
        Array.from({ length: 500 }, (_, i) => event(String(n + i), 1)),
      );
    let seen = 0;
    const began = performance.now();
    await eventBusWith([{ handle: async () => void (seen += 1) }]);
    await until(() => seen === count, 60_000);
    const seconds = (performance.now() - began) / 1_000;
    process.stdout.write(`embedded event bus, no-op handler: ${Math.round(count / seconds)} events/s\n`);
    expect(seen).toBe(count);
  }, 120_000);
});
