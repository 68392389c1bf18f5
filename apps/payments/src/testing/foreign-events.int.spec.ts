import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Envelope, EVENTS } from '@vuka/contracts';
import {
  bucketOf,
  DeadLetterStore,
  EmbeddedEventBus,
  EventAuthors,
  eventMacsBy,
  type EventKey,
  type EventKeys,
  OUTBOX_SQL,
} from '@vuka/messaging';
import { baseline, type Database } from '@vuka/persistence';
import { systemClock, WakeSignal } from '@vuka/runtime';
import { openService, type OpenedService } from '@vuka/service-host';
import { testContext } from '@vuka/service-host/test-context';
import { until } from '@vuka/testing';

import { payments } from '../payments.js';
import type { PaymentsRoot } from '../payments.root.js';
import { OrderHarness } from './order-harness.spec-support.js';
import { PayHarness, RATE } from './pay-harness.spec-support.js';
import { NO_JOBS, silent, startPaymentsDatabase, type PaymentsDatabase } from './payments-database.spec-support.js';

/** Whoever can write to the log of events, but has no key of offramp and payments, moves no money. */
const WRITER = [baseline('writer', [OUTBOX_SQL])];
const OTHERS = ['offramp', 'checkout', 'gateway'] as const;

const keyOf = (byte: number): readonly EventKey[] => [{ id: 'e1', key: Buffer.alloc(32, byte) }];
const [TO_PAYMENTS, TO_CHECKOUT, OF_CHECKOUT, OF_GATEWAY, TO_NOTIFIER, TO_OFFRAMP] = [1, 2, 3, 4, 5, 6].map(keyOf) as [
  readonly EventKey[], readonly EventKey[], readonly EventKey[], readonly EventKey[], readonly EventKey[], readonly EventKey[],
]; // prettier-ignore
const OFFRAMP: EventKeys = { to: { payments: TO_PAYMENTS, checkout: TO_CHECKOUT }, from: {} };
const PAYMENTS: EventKeys = {
  to: { notifier: TO_NOTIFIER, offramp: TO_OFFRAMP },
  from: { offramp: TO_PAYMENTS, checkout: OF_CHECKOUT, gateway: OF_GATEWAY },
};
/** Of what checkout holds it makes the MAC that payments looks for. */
const FORGED_BY_CHECKOUT: EventKeys = { to: { payments: TO_CHECKOUT, checkout: TO_CHECKOUT }, from: {} };

type Macs = (topic: string, text: string) => string | null;

let pg: PaymentsDatabase;
let writers: Readonly<Record<(typeof OTHERS)[number], Database>>;
let signal: WakeSignal;
let letters: DeadLetterStore;
let running: { readonly eventBus: EmbeddedEventBus; readonly service: OpenedService<PaymentsRoot> };

beforeAll(async () => {
  pg = await startPaymentsDatabase(OTHERS.map((name) => ({ name, migrations: WRITER })));
  const [offramp, checkout, gateway] = await Promise.all(OTHERS.map((name) => pg.beside(name)));
  writers = { offramp, checkout, gateway } as typeof writers;
  letters = new DeadLetterStore(pg.db);
}, 60_000);
afterAll(() => pg.stopWhole());

beforeEach(async () => {
  const eventBus = new EmbeddedEventBus({ log: silent, clock: systemClock, replayPollMs: 10 });
  const database = { ...pg.config, eventMacs: eventMacsBy(PAYMENTS) };
  const service = await openService(
    payments,
    testContext({ database, jobs: NO_JOBS, eventBus, eventKeys: PAYMENTS, log: silent }),
  );
  signal = new WakeSignal();
  for (const name of OTHERS)
    eventBus.attachProducer({
      service: name,
      db: writers[name],
      signal: name === 'offramp' ? signal : new WakeSignal(),
    });
  await eventBus.start();
  running = { eventBus, service };
}, 60_000);
afterEach(async () => {
  await running.eventBus.stop();
  await running.service.stop();
  await pg.admin.query('truncate payments.dead_letters');
}, 60_000);

/** As somebody who can write what payments reads. */
async function written(event: Envelope, macs: Macs): Promise<void> {
  const { topic } = EVENTS[event.type];
  const text = JSON.stringify(event);
  await writers.offramp.query(
    `insert into outbox (bucket, topic, key, sequence, event_id, envelope, macs, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [bucketOf(event.key), topic, event.key, event.sequence, event.id, text, macs(topic, text), event.occurredAt],
  );
  signal.notify();
}

const truly: Macs = eventMacsBy(OFFRAMP);

/** 4 USDC at RATE, all of it held for the payout. */
const PAID = 517_40n;
const COPY = 'somebody who copies what offramp wrote to another topic';
const MADE_UP: readonly [string, Macs][] = [
  ['a producer without the key', () => null],
  ['checkout, with the key by which it reads offramp', eventMacsBy(FORGED_BY_CHECKOUT)],
  [COPY, (_, text) => eventMacsBy(OFFRAMP)('offramp.order-deposit.events.v1', text)],
];

const counted = async (table: 'deposits' | 'postings'): Promise<number> =>
  (await pg.db.query<{ n: number }>(`select count(*)::integer as n from ${table}`))[0]!.n;

async function becomeForeign(n: number): Promise<void> {
  const reasons = async (): Promise<string[]> => (await letters.list({ limit: 50 })).map(({ reason }) => reason);
  await until(async () => (await reasons()).length === n, { withinMs: 20_000, what: 'it is kept as a dead letter' });
  expect(new Set(await reasons())).toEqual(new Set(['foreign']));
}

const verifiedOf = (pay: PayHarness): Envelope =>
  pay.event('deposit.verified', {
    deposit: pay.facts(),
    also: [],
    rate: RATE,
    quote_passed_over: null,
    screening_hit: false,
  });

describe('a deposit that offramp never verified', () => {
  it.each(MADE_UP)(
    'credits no transaction where it is told by %s',
    async (_, macs) => {
      const pay = await new PayHarness(pg).payAccepted();
      const before = [await counted('deposits'), await counted('postings')];
      await written(verifiedOf(pay), macs);
      await becomeForeign(1);
      expect([await counted('deposits'), await counted('postings')]).toEqual(before);
      expect([await pay.state(), await pay.held(), await pay.depositStates()]).toEqual(['AWAITING_FUNDS', 0n, []]);

      // What offramp does tell of it still counts.
      await written(verifiedOf(pay), truly);
      await until(async () => (await pay.state()) === 'QUEUED', { withinMs: 20_000, what: 'it is paid for' });
      expect(await pay.held()).toBe(PAID);
    },
    60_000,
  );

  it.each(MADE_UP)(
    'of an order credits nothing where it is told by %s',
    async (who, macs) => {
      const order = new OrderHarness(pg);
      const before = [await counted('deposits'), await counted('postings')];
      // The copy of the first test is of the order deposits' own topic.
      const elsewhere: Macs = (_, text) => eventMacsBy(OFFRAMP)('offramp.refund.events.v1', text);
      await written(order.confirmedEvent(order.transfer(1_000_000n)), who === COPY ? elsewhere : macs);
      await becomeForeign(1);
      expect([await counted('deposits'), await counted('postings')]).toEqual(before);

      await written(order.confirmedEvent(order.transfer(1_000_000n)), truly);
      await until(async () => (await counted('deposits')) === before[0]! + 1, {
        withinMs: 20_000,
        what: 'it is recorded',
      });
    },
    60_000,
  );

  it('is credited once where its true event is sent three times', async () => {
    const pay = await new PayHarness(pg).payAccepted();
    const event = verifiedOf(pay);
    for (let n = 0; n < 3; n += 1) await written(event, truly);
    await until(async () => (await pay.state()) === 'QUEUED', { withinMs: 20_000, what: 'it is paid for' });
    const postings = await counted('postings');
    await written(event, truly);
    await written(pay.event('deposit.seen', {}), () => null);
    await becomeForeign(1);
    expect([await counted('postings'), await pay.held(), (await pay.depositStates()).length]).toEqual([
      postings,
      PAID,
      1,
    ]);
  }, 60_000);
});

describe('an event of payments', () => {
  it('is signed for its reader in the commit that writes it', async () => {
    const context = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
    const pay = new PayHarness(pg);
    expect(await running.service.handlers.acceptPay(pay.input(), context)).toMatchObject({ ok: true });
    const [row] = await pg.db.query<{ topic: string; envelope: string; macs: string }>(
      "select topic, envelope, macs from outbox where macs is not null and topic = 'payments.deposit-claim.events.v1'",
    );
    const reader = new EventAuthors('offramp', { from: { payments: TO_OFFRAMP } });
    expect(reader.faultOf(row!.topic, row!.envelope, row!.macs)).toBeNull();
    const other = new EventAuthors('offramp', { from: { payments: TO_NOTIFIER } });
    expect(other.faultOf(row!.topic, row!.envelope, row!.macs)).not.toBeNull();
  }, 60_000);
});
