import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { DeadLetterStore, EmbeddedEventBus, OUTBOX_SQL, SeededDisturbance, appendToOutbox } from '@vuka/messaging';
import { baseline, type Database } from '@vuka/persistence';
import { createLogger, ManualClock, systemClock, WakeSignal } from '@vuka/runtime';
import { openService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';

import type { OrderDepositEvent } from '../judging/record-told.js';
import { checkout as definition } from '../checkout.js';
import {
  type CheckoutService,
  HandJobs,
  SETTINGS,
  START,
  ScriptedOfframp,
  Teller,
  context,
  emptyTables,
  orderInput,
  startTestDatabase,
  toldOf,
  until,
  type TestDatabase,
} from './checkout.spec-support.js';

let database: TestDatabase;
let db: Database;
let offramp: Database;
let running: { checkout: CheckoutService; eventBus: EmbeddedEventBus } | undefined;
let signal: WakeSignal;
const clock = new ManualClock(START);
const quiet = createLogger('test', { level: 'silent' });

const PRODUCER = [baseline('producer', [OUTBOX_SQL])];

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
  offramp = await database.connect({ ...database.of('offramp'), migrations: PRODUCER });
  await offramp.migrate();
}, 60_000);

afterAll(() => database.stop());

beforeEach(async () => {
  await emptyTables(db);
  await offramp.query('truncate outbox, outbox_cursors');
  signal = new WakeSignal();
});

afterEach(async () => {
  await running?.eventBus.stop();
  await running?.checkout.stop();
  running = undefined;
});

async function start(seed?: number): Promise<CheckoutService> {
  const eventBus = new EmbeddedEventBus({
    log: quiet,
    clock: systemClock,
    retry: { tries: 2, firstDelayMs: 1, maxDelayMs: 1 },
    replayPollMs: 10,
    ...(seed !== undefined && { disturbance: new SeededDisturbance(seed) }),
  });
  const checkout = await openService(
    definition,
    testContext({
      settings: { checkout: SETTINGS },
      database: database.config,
      eventBus: { subscribe: (subscription) => eventBus.subscribe(subscription) },
      jobs: new HandJobs(),
      clients: { offramp: new ScriptedOfframp(clock) },
      clock,
      log: quiet,
    }),
  );
  running = { checkout, eventBus };
  eventBus.attachProducer({ service: 'offramp', db: offramp, signal });
  await eventBus.start();
  await checkout.start();
  return checkout;
}

async function newOrder(checkout: CheckoutService, orderId: string): Promise<number> {
  const made = await checkout.handlers.createOrder(orderInput({ order_id: orderId }), context);
  if (!made.ok) throw new Error(made.error.message);
  return made.value.order.order_number;
}

async function tell(events: readonly OrderDepositEvent[]): Promise<void> {
  await offramp.inTransaction((tx) => appendToOutbox(tx, events));
  signal.notify();
}

describe('behind the event bus', () => {
  it.each([1, 2])(
    'that delivers twice and late (seed %i), each order ends once, and its events stay in order',
    async (seed) => {
      const checkout = await start(seed);
      const numbers = await Promise.all(
        Array.from({ length: 24 }, (_, place) => newOrder(checkout, `order-${String(place)}`)),
      );
      // A third is paid, a third vanishes and returns, a third is gone for good.
      const events = numbers.map((number, place) => {
        const [teller, claim] = [new Teller(number, clock), place + 1];
        if (place % 3 === 0) return [teller.seen(claim), teller.confirmed(claim), teller.passed()];
        return place % 3 === 1
          ? [teller.seen(claim), teller.gone(claim), teller.seen(claim), teller.confirmed(claim), teller.passed()]
          : [teller.seen(claim), teller.gone(claim), teller.passed()];
      });
      await tell(events.flat());
      await until(
        async () =>
          Number((await db.query<{ count: string }>('select count(*) from inbox'))[0]?.count) === events.flat().length,
      );

      for (const [place, number] of numbers.entries()) {
        const { changes, settled } = await toldOf(db, number);
        expect(changes.map(({ sequence, data }) => [sequence, data.payload.status])).toEqual([
          [1, 'PROCESSING'],
          [2, place % 3 === 2 ? 'FAILED' : 'COMPLETE'],
        ]);
        expect(settled.map(({ sequence, data }) => [sequence, data.credit === null])).toEqual(
          place % 3 === 2 ? [] : [[1, false]],
        );
      }
      expect(await db.query('select 1 from dead_letters')).toEqual([]);
    },
    60_000,
  );

  it('an event for an unknown order is kept as a dead letter, and is processed after a replay', async () => {
    const checkout = await start();
    const number = await newOrder(checkout, 'order-1');
    const letters = new DeadLetterStore(db);
    const teller = new Teller(number + 1, clock);
    const event = teller.confirmed(1);
    await tell([event]);
    await until(async () => (await letters.list({ limit: 2 })).length === 1);

    expect(await newOrder(checkout, 'order-2')).toBe(number + 1);
    expect(await letters.requestReplay('checkout', event.id, 'amina', systemClock.now())).toEqual({
      kind: 'requested',
    });
    await until(async () => (await toldOf(db, number + 1)).settled.length === 1);
  });
});
