import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { PageOrders } from '../alerts/page-orders.js';
import { SwitchStore } from '../switches/switch.store.js';
import { CheckFixture } from '../testing/check-fixture.spec-support.js';
import { hashOf } from '../testing/offramp.spec-support.js';
import {
  comes,
  FIRST,
  kindsOf,
  LIVES_S,
  checks,
  passer,
  reserved,
  scanFinds,
  scanned,
  sightingOf,
  toldOfOrder,
} from './order-fixture.spec-support.js';
import { OrderWatchStore } from './order-watch.store.js';

let fixture: CheckFixture;
let address: string;
let end: Date;
beforeAll(async () => {
  fixture = await CheckFixture.open();
}, 60_000);
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.reset();
  const given = await reserved(fixture, FIRST);
  address = given.address;
  end = new Date(given.expires_at);
});

const after = (ms: number): Date => new Date(end.getTime() + ms);
const PAST = 30_001;
const passed = async (): Promise<string[]> => {
  await passer(fixture).tick();
  return kindsOf(fixture, FIRST);
};

describe('an order has passed', () => {
  it('once its chain is scanned to half a minute past its end: reported once, whatever other chains do', async () => {
    await scanned(fixture, after(3_600_000), 'BNB');
    expect(await passed()).toEqual([]);
    await scanned(fixture, after(30_000));
    expect(await passed()).toEqual([]);
    fixture.clock.advance(LIVES_S * 1_000);
    await scanned(fixture, after(PAST));
    expect(await passed()).toEqual(['watch.passed 1']);
    expect((await toldOfOrder(fixture, FIRST))[0]).toMatchObject({
      correlationId: 'request-1',
      data: { order_number: FIRST, partner_id: 1, chain: 'CELO', scanned_to: after(PAST).toISOString() },
    });
    await scanned(fixture, after(PAST + 60_000));
    expect(await passed()).toEqual(['watch.passed 1']);
    expect(await fixture.db.query('select passed_at from order_watches')).toEqual([{ passed_at: fixture.clock.now() }]);
  });

  it('only behind what was found in time: a claim that no look came to anything for is waited for', async () => {
    await scanFinds(fixture, 1, address);
    await scanned(fixture, after(PAST));
    expect(await passed()).toEqual([]);
    fixture.reader().says(hashOf(1), { kind: 'trouble', reason: 'endpoints disagree' });
    await checks(fixture, 5);
    expect(await passed()).toEqual([]);
    fixture.reader().says(hashOf(1), sightingOf(fixture, { isYoung: true }));
    fixture.clock.advance(60_000);
    await checks(fixture);
    expect(await passed()).toEqual(['deposit.seen 1', 'watch.passed 2']);
  });

  it('only behind a look that is under way', async () => {
    await scanned(fixture, after(PAST));
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      fixture.reader().says(hashOf(1), async () => {
        resolve();
        await new Promise<void>((done) => {
          answer = done;
        });
        return sightingOf(fixture, {});
      });
    });
    await scanFinds(fixture, 1, address);
    const round = fixture.round(fixture.checker());
    await asked;
    expect(await passed()).toEqual([]);
    answer();
    await round;
    expect(await passed()).toEqual(['deposit.confirmed 1', 'watch.passed 2']);
  });

  it('only behind what is being told of it', async () => {
    await scanned(fixture, after(PAST));
    await fixture.db.inTransaction(async (tx) => {
      const { sequence } = await OrderWatchStore.lockToTell(tx, FIRST);
      await OrderWatchStore.told(tx, FIRST, sequence);
      expect(await passed()).toEqual([]);
    });
    expect(await passed()).toEqual(['watch.passed 2']);
  });

  it('a minute after a look did not find what was found: endpoints lag behind one another', async () => {
    await scanned(fixture, after(PAST));
    await scanFinds(fixture, 1, address);
    await fixture.round(fixture.checker());
    fixture.clock.advance(59_000);
    expect(await passed()).toEqual([]);
    fixture.clock.advance(1_000);
    expect(await passed()).toEqual(['watch.passed 1']);
  });

  it.each([
    [
      'is in trouble',
      async () => fixture.reader().says(hashOf(1), { kind: 'trouble', reason: 'endpoints disagree' }),
      async () => undefined,
    ],
    [
      'waits for a switch',
      async () =>
        void (await new SwitchStore(fixture.db).switchOff({
          chain: 'CELO',
          asset: null,
          reason: 'halted',
          offBy: 'somebody',
          offSince: fixture.clock.now(),
        })),
      async () => void (await fixture.db.query('truncate switches')),
    ],
  ])('not while a claim %s of which an earlier look found nothing', async (_, begins, ends) => {
    await scanned(fixture, after(PAST));
    await scanFinds(fixture, 1, address);
    await fixture.round(fixture.checker());
    await begins();
    fixture.clock.advance(10_000);
    await checks(fixture, 5);
    expect(await passed()).toEqual([]);
    await ends();
    fixture.reader().says(hashOf(1), sightingOf(fixture, {}));
    await checks(fixture);
    expect(await passed()).toEqual(['deposit.confirmed 1', 'watch.passed 2']);
  });

  it('whatever waits on another chain, and whatever has ended', async () => {
    await scanFinds(fixture, 1, address, { chain: 'BNB' });
    await comes(fixture, 2, address, { from: address });
    fixture.reader('BNB').says(hashOf(1), { kind: 'trouble', reason: 'endpoints disagree' });
    await checks(fixture);
    await scanned(fixture, after(PAST));
    expect(await passed()).toEqual(['watch.passed 1']);
  });

  it('and is told of what comes later all the same, also of what is opened again', async () => {
    await scanned(fixture, after(PAST));
    await passed();
    await comes(fixture, 1, address);
    await checks(fixture);
    expect(await kindsOf(fixture, FIRST)).toEqual(['watch.passed 1', 'deposit.confirmed 2']);
  });
});

it('many pass in pages, each told once by however many processes, and none where a commit fails', async () => {
  const others = 1_100;
  await fixture.db.query(
    `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at, watch_until, correlation_id, causation_id)
     select ${FIRST} + n, 2, 'CELO', 'USDC', 'KES', 100, '129.35', 1, 'evm', '0x' || n, $1, $1, $1, 'c', 'c' from generate_series(1, ${others}) n`,
    [fixture.clock.now()],
  );
  await scanned(fixture, after(PAST));
  const dies = passer(fixture);
  Object.assign(dies, {
    db: {
      inTransaction: (work: Parameters<CheckFixture['db']['inTransaction']>[0]) =>
        fixture.db.inTransaction(async (tx) => {
          await work(tx);
          throw new Error('the process died');
        }),
    },
  });
  await expect(dies.tick()).rejects.toThrow('the process died');
  const all = async (): Promise<void> => {
    const one = passer(fixture);
    for (let more = true; more;) more = await one.tick();
  };
  await Promise.all([all(), all(), all()]);
  await all();
  const [row] = await fixture.db.query<{ told: number; orders: number }>(
    'select count(*)::integer as told, count(distinct key)::integer as orders from outbox',
  );
  expect(row).toEqual({ told: others + 1, orders: others + 1 });
  expect(await fixture.db.query('select 1 from order_watches where passed_at is null or last_sequence <> 1')).toEqual(
    [],
  );
});

it('people are called where orders are ten minutes past their end, and their chain is not', async () => {
  const page = (): Promise<void> => new PageOrders(new OrderWatchStore(fixture.db), fixture.clock, fixture.log).run();
  fixture.clock.advance(LIVES_S * 1_000 + 10 * 60_000 - 1);
  await page();
  expect(fixture.alarms()).toEqual([]);
  fixture.clock.advance(60_001);
  await page();
  expect(fixture.lines).toMatchObject([{ code: 'orders_not_passed', chain: 'CELO', orders: 1, minutes: 11 }]);
  await scanned(fixture, after(PAST));
  await passed();
  await page();
  expect(fixture.alarms()).toEqual(['orders_not_passed']);
});
