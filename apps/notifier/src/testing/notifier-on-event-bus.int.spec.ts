import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeadLetterStore, EmbeddedEventBus, OUTBOX_SQL, SeededDisturbance, appendToOutbox } from '@vuka/messaging';
import { baseline, type Database } from '@vuka/persistence';
import { createLogger, systemClock, WakeSignal } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import { notifier as definition } from '../notifier.js';
import type { NotifierRoot } from '../notifier.root.js';
import {
  HandJobs,
  orderEvent,
  Receiver,
  startTestDatabase,
  testCipher,
  transactionEvent,
  until,
  type EventFacts,
  type TestDatabase,
} from './notifier.spec-support.js';

/** A real event bus with real outboxes. */
let database: TestDatabase;
let db: Database;
let admin: Database;
let payments: Database;
let checkout: Database;
let partner: Receiver;
let running: { notifier: OpenedService<NotifierRoot>; eventBus: EmbeddedEventBus } | undefined;
let signal: WakeSignal;
let orderSignal: WakeSignal;

const PRODUCER = [baseline('producer', [OUTBOX_SQL])];
const quiet = createLogger('test', { level: 'silent' });

beforeAll(async () => {
  database = await startTestDatabase();
  payments = await database.connect({ ...database.of('payments'), migrations: PRODUCER });
  await payments.migrate();
  checkout = await database.connect({ ...database.of('checkout'), migrations: PRODUCER });
  await checkout.migrate();
  db = await database.connect();
  admin = await database.connectAsAdmin();
}, 60_000);

afterAll(() => database.stop());

beforeEach(async () => {
  await db.query('truncate deliveries, delivery_attempts, inbox, dead_letters');
  for (const producer of [payments, checkout]) await producer.query('truncate outbox, outbox_cursors');
  partner = await Receiver.start();
  [signal, orderSignal] = [new WakeSignal(), new WakeSignal()];
});

afterEach(async () => {
  await stop();
  await partner.stop();
});

async function start(seed?: number): Promise<void> {
  const eventBus = new EmbeddedEventBus({
    log: quiet,
    clock: systemClock,
    retry: { tries: 2, firstDelayMs: 1, maxDelayMs: 1 },
    replayPollMs: 10,
    ...(seed !== undefined && { disturbance: new SeededDisturbance(seed) }),
  });
  const settings = { env: 'sandbox' as const, webhookAllowPrivate: true, webhookPayloadDays: 30 };
  const notifier = await openService(
    definition,
    testContext({
      settings,
      database: database.config,
      eventBus: { subscribe: (subscription) => eventBus.subscribe(subscription) },
      jobs: new HandJobs(),
      log: quiet,
      cipher: testCipher,
    }),
  );
  running = { notifier, eventBus };
  eventBus.attachProducer({ service: 'payments', db: payments, signal });
  eventBus.attachProducer({ service: 'checkout', db: checkout, signal: orderSignal });
  await eventBus.start();
  await notifier.start();
}

async function stop(): Promise<void> {
  await running?.eventBus.stop();
  await running?.notifier.stop();
  running = undefined;
}

type Facts = Omit<EventFacts, 'occurredAt' | 'url'>;

async function tell(...facts: Facts[]): Promise<string[]> {
  const events = facts.map((one) => transactionEvent({ ...one, url: partner.url, occurredAt: systemClock.now() }));
  await payments.inTransaction((tx) => appendToOutbox(tx, events));
  signal.notify();
  return events.map(({ id }) => id);
}

async function tellOfOrders(...facts: Omit<Parameters<typeof orderEvent>[0], 'occurredAt' | 'url'>[]): Promise<void> {
  const events = facts.map((one) => orderEvent({ ...one, url: partner.url, occurredAt: systemClock.now() }));
  await checkout.inTransaction((tx) => appendToOutbox(tx, events));
  orderSignal.notify();
}

const received = (): string[] => partner.received.map(({ headers }) => String(headers['webhook-id']));
const deliveries = (): Promise<{ sequence: number; state: string; attempts: number }[]> =>
  db.query('select sequence, state, attempts from deliveries order by transaction_id, sequence');

describe('a notifier that starts on what was left', () => {
  it('processes its old dead letters again on request', async () => {
    const at = systemClock.now();
    const event = transactionEvent({
      type: 'transaction.complete',
      transactionId: 1,
      sequence: 2,
      url: partner.url,
      occurredAt: at,
    });
    await db.query(
      `insert into dead_letters (consumer_group, event_id, topic, key, reason, detail, tries, envelope, created_at)
       values ('notifier', $1, 'payments.transaction.events.v1', '1', 'tries_exhausted', 'Error: a bug', 5, $2, $3)`,
      [event.id, JSON.stringify(event), at],
    );
    await start();
    const letters = new DeadLetterStore(db);
    expect(await letters.requestReplay('notifier', event.id, 'amina', at)).toEqual({ kind: 'requested' });
    await until(() => received().length === 1);
    await until(async () => (await letters.find('notifier', event.id))?.replayedAt !== null);
    expect(received()).toEqual(['1_2']);
  });
});

describe('under the test event bus', () => {
  it.each([1, 2])(
    'with seed %i each event ends once: one delivery, one webhook',
    async (seed) => {
      await start(seed);
      const count = 60;
      const ids = Array.from({ length: count }, (_, n) => n + 1);
      const changes = ids.flatMap((transactionId): Facts[] => [
        { type: 'transaction.processing', transactionId, sequence: 1 },
        { type: 'transaction.complete', transactionId, sequence: 2 },
        ...(transactionId % 3 === 0 ? [{ type: 'transaction.reversed', transactionId, sequence: 3 } as const] : []),
      ]);
      const orders = [5_000_000_000_000_001, 5_000_000_000_000_002].flatMap((transactionId) => [
        { type: 'order.processing', transactionId, sequence: 1 } as const,
        { type: 'order.failed', transactionId, sequence: 2 } as const,
      ]);
      await Promise.all([tell(...changes), tellOfOrders(...orders)]);
      const all = changes.length + orders.length;
      const rested = async (): Promise<boolean> => {
        const rows = await deliveries();
        return rows.length === all && rows.every(({ state }) => state !== 'pending');
      };
      await until(rested);
      await stop();

      const rows = await deliveries();
      // Final ones are always sent; PROCESSING may be superseded.
      for (const { sequence, state } of rows)
        expect(sequence === 1 ? ['delivered', 'superseded'] : ['delivered']).toContain(state);
      expect(new Set(received()).size).toBe(partner.received.length);
      expect(partner.received).toHaveLength(rows.filter(({ state }) => state === 'delivered').length);
      expect(await db.query('select 1 from inbox')).toHaveLength(all);
      expect(await db.query('select 1 from dead_letters')).toEqual([]);
    },
    60_000,
  );
});

describe('an event replayed late', () => {
  it.each<[string, Facts, Facts, string, string[]]>([
    [
      'is overtaken where it was not final: the newer state stands and nothing goes out',
      { type: 'transaction.processing', transactionId: 5, sequence: 1 },
      { type: 'transaction.complete', transactionId: 5, sequence: 2 },
      'superseded',
      ['5_2'],
    ],
    [
      'is told all the same where it was final, under its own sequence',
      { type: 'transaction.complete', transactionId: 6, sequence: 2 },
      { type: 'transaction.reversed', transactionId: 6, sequence: 3 },
      'delivered',
      ['6_3', '6_2'],
    ],
  ])('%s', async (_, older, newer, ends, told) => {
    await start();
    const letters = new DeadLetterStore(db);
    await admin.query(`alter table deliveries add constraint poison check (sequence <> ${older.sequence})`);
    const [id] = await tell(older);
    try {
      await until(async () => (await letters.list({ limit: 2 })).length === 1);
    } finally {
      await admin.query('alter table deliveries drop constraint poison');
    }
    await tell(newer);
    await until(async () => (await deliveries()).some(({ state }) => state === 'delivered'));

    expect(await letters.requestReplay('notifier', id!, 'amina', systemClock.now())).toEqual({ kind: 'requested' });
    await until(async () => (await letters.find('notifier', id!))?.replayedAt !== null);
    await until(async () => (await deliveries()).every(({ state }) => state !== 'pending'));
    expect(await deliveries()).toEqual([
      { sequence: older.sequence, state: ends, attempts: ends === 'superseded' ? 0 : 1 },
      { sequence: newer.sequence, state: 'delivered', attempts: 1 },
    ]);
    expect(received()).toEqual(told);
  });
});
