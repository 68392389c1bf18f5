import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { createLogger, type ManualClock, WakeSignal } from '@vuka/runtime';

import { DELIVERY_LIMITS } from './delivery-places.js';
import { DeliveryFixture } from '../testing/delivery-fixture.spec-support.js';
import { DeliveryStore, type Claim, type ClaimRequest, type ClaimedDelivery } from './delivery.store.js';
import { DeliveryQueueStore, deliveryQueuesDue } from './delivery-queue.store.js';
import type { DeliveryVerdict } from './retry-schedule.js';
import { OVERDUE_AFTER_MS, SweepDeliveryQueues } from './sweep-delivery-queues.js';

let fixture: DeliveryFixture;
let db: Database;
let store: DeliveryStore;
let deliveryQueues: DeliveryQueueStore;
let clock: ManualClock;

beforeAll(async () => {
  fixture = await DeliveryFixture.start();
  db = fixture.db;
  [store, deliveryQueues] = [new DeliveryStore(db), new DeliveryQueueStore(db)];
}, 60_000);

afterAll(() => fixture.stop());

beforeEach(async () => {
  await fixture.clear();
  clock = fixture.clock;
});

const { perHost, perPartner, slow, deliveryQueues: deliveryQueuesOfClaim, leaseMs, inFlight } = DELIVERY_LIMITS;

function claim(more: Partial<ClaimRequest> = {}): Promise<Claim> {
  const now = clock.now();
  return store.claim({
    now, leaseUntil: new Date(now.getTime() + leaseMs), limit: inFlight, deliveryQueues: deliveryQueuesOfClaim,
    perDeliveryQueue: perHost, freeByDeliveryQueue: new Map(), perHost, freeByHost: new Map(), perPartner, freeByPartner: new Map(), slowDeliveryQueues: [], slowFree: slow, ...more,
  }); // prettier-ignore
}

function record(deliveries: readonly ClaimedDelivery[], verdict: DeliveryVerdict): Promise<boolean> {
  const now = clock.now();
  return store.recordAttempts(
    deliveries.map((delivery) => ({ delivery, startedAt: now, durationMs: 1, status: 500, error: null, verdict })),
    now,
  );
}

let lastId = 0;
/** Due now. */
const tell = (partnerId: number, host: string, count = 1): Promise<void> =>
  fixture.tell(...Array.from({ length: count }, () => ({ transactionId: (lastId += 1), partnerId, host })));

/** Rows without queues, for so many hosts. */
async function insertBare(hosts: number, ofEach: number, partner = '1'): Promise<void> {
  const first = lastId + 1;
  lastId += hosts * ofEach;
  await db.query(
    `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, traceparent, body, code, state, next_attempt_at, created_at)
     select $1::bigint + n, 1, $4, ${partner}, 'transaction.complete', true, 'https://h', 'dead-' || n % $2 || '.example', '', '{}', '', 'pending', $4, $4
       from generate_series(0, $2::integer * $3::integer - 1) as n`,
    [first, hosts, ofEach, clock.now()],
  );
}

const countBy = <T>(items: readonly T[], key: (item: T) => string | number): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[key(item)] = (counts[key(item)] ?? 0) + 1;
  return counts;
};
const deliveryQueueRows = (): Promise<
  { partner_id: string; host: string; due_at: Date | null; served_at: Date; held_until: Date | null }[]
> => db.query('select * from delivery_queues order by partner_id, host');
/** Queues that would be claimed late or never. */
const lostDeliveryQueues = (): Promise<unknown[]> =>
  db.query(`select d.partner_id, d.host, min(d.next_attempt_at) from deliveries d left join delivery_queues l on l.partner_id = d.partner_id and l.host = d.host
             where d.state = 'pending' group by d.partner_id, d.host, l.due_at having l.due_at is null or l.due_at > min(d.next_attempt_at)`);

describe('a claim', () => {
  it('serves a delivery queue with one delivery beside one with thousands that were due earlier', async () => {
    await tell(1, 'dead.example', 2_000);
    clock.advance(1);
    await tell(2, 'well.example');
    const { deliveries } = await claim({ perHost: 8 });
    expect(countBy(deliveries, ({ host }) => host)).toEqual({ 'dead.example': 8, 'well.example': 1 });
  });

  it('serves delivery queues in turn: a served one goes behind all waiting ones', async () => {
    for (const host of ['a', 'b', 'c']) {
      await tell(1, host, 2);
      clock.advance(1);
    }
    const served: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const { deliveries } = await claim({ limit: 1 });
      served.push(...deliveries.map(({ host }) => host));
      clock.advance(1);
    }
    expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
  });

  it('shares the places of one host among its partners', async () => {
    await tell(1, 'shared.example', 100);
    await tell(2, 'shared.example', 3);
    await tell(3, 'shared.example', 100);
    const { deliveries } = await claim({ perHost: 9 });
    expect(countBy(deliveries, ({ partnerId }) => partnerId)).toEqual({ 1: 3, 2: 3, 3: 3 });
  });

  it('gives a partner at most its share of all places, even if more are free', async () => {
    for (let host = 0; host < 20; host += 1) await tell(1, `h${host}`, 30);
    const claims = [
      await claim(),
      await claim({ freeByPartner: new Map([[1, 3]]) }),
      await claim({ freeByPartner: new Map([[1, 0]]) }),
    ];
    expect(claims[0]!.deliveries.length).toBeGreaterThan(perPartner / 2);
    expect(claims[0]!.deliveries.length).toBeLessThanOrEqual(perPartner);
    expect(claims.slice(1).map(({ deliveries }) => deliveries.length)).toEqual([3, 0]);
  });

  it('gives slow hosts together no more than is left for them', async () => {
    for (const host of ['s1', 's2', 's3', 'quick']) await tell(1, host, 50);
    const { deliveries } = await claim({ slowDeliveryQueues: ['1 s1', '1 s2', '1 s3'], slowFree: 7 });
    expect(deliveries.filter(({ host }) => host !== 'quick')).toHaveLength(6);
    const later = await claim({ slowDeliveryQueues: ['1 s1', '1 s2', '1 s3'], slowFree: 0 });
    expect(new Set(later.deliveries.map(({ host }) => host))).toEqual(new Set(['quick']));
  });

  it('finds queues with free places behind thousands of queues of a partner without places', async () => {
    await insertBare(3_000, 1);
    let { last } = await deliveryQueues.sweep(null);
    while (last !== null) ({ last } = await deliveryQueues.sweep(last));
    clock.advance(1);
    await tell(2, 'well.example');
    const { deliveries } = await claim({ freeByPartner: new Map([[1, 0]]) });
    expect(deliveries.map(({ host }) => host)).toEqual(['well.example']);
  });

  it('serves later partners beside thousands of earlier queues of another partner', async () => {
    await insertBare(3_000, 1);
    let { last } = await deliveryQueues.sweep(null);
    while (last !== null) ({ last } = await deliveryQueues.sweep(last));
    clock.advance(1);
    await tell(2, 'well.example', 5);
    const { deliveries } = await claim({ limit: 64 });
    expect(countBy(deliveries, ({ partnerId }) => partnerId)).toMatchObject({
      1: expect.any(Number),
      2: expect.any(Number),
    });
    expect(deliveries.length).toBeGreaterThan(48);
    // Alone, it gets all it may.
    expect((await claim({ freeByHost: new Map([['well.example', 0]]) })).deliveries).toHaveLength(
      deliveryQueuesOfClaim,
    );
  });

  it('says when queues behind the examined ones may be due', async () => {
    for (let host = 0; host < 6; host += 1) await tell(1, `h${host}`);
    expect((await claim({ deliveryQueues: 4 })).deliveryQueues).toBe(4);
    expect((await claim({ deliveryQueues: 4 })).deliveryQueues).toBe(2);
    expect(await claim({ deliveryQueues: 4 })).toEqual({ deliveries: [], deliveryQueues: 0 });
  });

  it('leaves a delivery queue due when its lease lapses, a retry makes it due earlier, and one without anything is not due', async () => {
    await tell(1, 'a');
    const { deliveries } = await claim();
    expect((await deliveryQueueRows())[0]!.due_at).toEqual(new Date(clock.now().getTime() + leaseMs));
    await record(deliveries, { state: 'pending', nextAttemptAt: new Date(clock.now().getTime() + 5_000) });
    expect((await deliveryQueueRows())[0]!.due_at).toEqual(new Date(clock.now().getTime() + 5_000));
    clock.advance(5_000);
    await record((await claim()).deliveries, { state: 'delivered' });
    clock.advance(leaseMs);
    expect((await claim()).deliveries).toEqual([]);
    expect((await deliveryQueueRows())[0]!.due_at).toBeNull();
  });

  it('passes over a delivery queue that somebody writes to, unless its turn has come: then it waits for the commit and takes what it brought', async () => {
    await tell(1, 'first.example');
    clock.advance(1);
    await tell(1, 'second.example');
    let go = (): void => undefined;
    const held = new Promise<void>((resolve) => (go = resolve));
    let isLocked = (): void => undefined;
    const locked = new Promise<void>((resolve) => (isLocked = resolve));
    const writing = db.inTransaction(async (tx) => {
      await tx.query(
        `insert into deliveries (transaction_id, sequence, occurred_at, partner_id, event_type, is_final, callback_url, host, traceparent, body, code, state, next_attempt_at, created_at)
         select -1, 1, occurred_at, partner_id, event_type, is_final, callback_url, host, traceparent, body, code, state, next_attempt_at, created_at
           from deliveries where host = 'second.example'`,
      );
      await deliveryQueuesDue(tx, [{ partnerId: 1, host: 'second.example' }], clock.now());
      isLocked();
      await held;
    });
    await locked;
    expect((await claim()).deliveries.map(({ host }) => host)).toEqual(['first.example']);
    const waiting = claim();
    go();
    await writing;
    expect((await waiting).deliveries.map(({ host }) => host)).toEqual(['second.example', 'second.example']);
  });
});

describe('what is due at dead hosts', () => {
  // In buffers, which do not depend on other load.
  it('costs a claim the same when there is eighty times as much', async () => {
    const read = async (ofEach: number): Promise<number> => {
      await db.query('truncate deliveries, delivery_queues');
      for (let part = 0; part < ofEach; part += 200) await insertBare(50, Math.min(200, ofEach - part));
      await db.query('analyze deliveries');
      await deliveryQueues.sweep(null);
      const explained = async (): Promise<string[]> => {
        const now = clock.now();
        const plan = await db.query<{ 'QUERY PLAN': string }>(
          `explain (analyze, buffers) select * from claim_deliveries($1, $2, 256, 64, 8, '{}', '{}', 32, '{}', '{}', 128, '{}', '{}', '{}', 64)`,
          [now, new Date(now.getTime() + leaseMs)],
        );
        return plan.map((row) => row['QUERY PLAN']);
      };
      await explained();
      const [buffers] = (await explained()).filter((line) => line.includes('Buffers:'));
      return [...buffers!.matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const few = await read(20);
    const many = await read(1_600);
    expect(few).toBeGreaterThan(100);
    expect(many).toBeLessThan(few * 2);
  }, 60_000);
});

describe('concurrently', () => {
  const DELIVERY_QUEUES = 7;
  const PER_WRITER = 30;

  it('no delivery is claimed twice, none is lost, and every delivery queue is due in time, without a sweep', async () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const claimed: string[] = [];
    let writing = 4;
    const total = writing * PER_WRITER;
    const write = async (): Promise<void> => {
      for (let n = 0; n < PER_WRITER; n += 1) await tell(1 + random(3), `h${random(DELIVERY_QUEUES)}`);
      writing -= 1;
    };
    const settle = async (deliveries: readonly ClaimedDelivery[]): Promise<void> => {
      const again = deliveries.filter(({ attempts }) => attempts === 0 && random(2) === 0);
      await record(again, { state: 'pending', nextAttemptAt: clock.now() });
      await record(
        deliveries.filter((delivery) => !again.includes(delivery)),
        { state: 'delivered' },
      );
    };
    const isDone = async (): Promise<boolean> =>
      writing === 0 && (await db.query(`select 1 from deliveries where state = 'pending' limit 1`)).length === 0;
    const work = async (): Promise<void> => {
      while (!(await isDone())) {
        const { deliveries } = await claim({ limit: 1 + random(5) });
        claimed.push(...deliveries.map(({ id, fence }) => `${id} ${fence}`));
        await settle(deliveries);
      }
    };
    await Promise.all([write(), write(), write(), write(), work(), work(), work()]);
    expect(new Set(claimed).size).toBe(claimed.length);
    expect(await db.query('select state, count(*)::integer from deliveries group by state')).toEqual([
      { state: 'delivered', count: total },
    ]);
    // An unrecorded claim would have a higher fence.
    const attempts = await db.query<{ fence: number; attempts: number }>('select fence, attempts from deliveries');
    for (const row of attempts) expect(row.fence).toBe(row.attempts);
    expect(await lostDeliveryQueues()).toEqual([]);
  }, 60_000);
});

describe('a delivery queue that was lost', () => {
  it('is found by the sweep, page by page, which wakes who delivers', async () => {
    await insertBare(1_200, 1);
    expect((await claim()).deliveries).toEqual([]);
    const signal = new WakeSignal();
    const logged: string[] = [];
    const log = createLogger('notifier', { destination: { write: (line: string) => void logged.push(line) } });
    await new SweepDeliveryQueues(deliveryQueues, signal, clock, log).run();
    expect(await lostDeliveryQueues()).toEqual([]);
    expect(await deliveryQueueRows()).toHaveLength(1_200);
    expect((await claim()).deliveries).not.toEqual([]);
    await signal.wait(60_000);
    logged.length = 0;
    await new SweepDeliveryQueues(deliveryQueues, signal, clock, log).run();
    expect(logged).toEqual([]);
    clock.advance(OVERDUE_AFTER_MS);
    await new SweepDeliveryQueues(deliveryQueues, signal, clock, log).run();
    expect(logged.join('')).toContain('"webhooks_overdue"');
  });

  it('or whose time is later than its delivery is due in time after a sweep', async () => {
    await tell(1, 'a');
    await claim();
    await db.query('update deliveries set next_attempt_at = $1', [clock.now()]);
    expect(await lostDeliveryQueues()).toHaveLength(1);
    expect(await deliveryQueues.sweep(null)).toEqual({ last: null, repaired: 1 });
    expect(await lostDeliveryQueues()).toEqual([]);
  });
});

describe('outcomes of two claims on one delivery', () => {
  it.each(['first', 'last'])(
    'that are recorded together: that of the claim that lapsed is dropped, also where it comes %s',
    async (place) => {
      await tell(1, 'a');
      const {
        deliveries: [lapsed],
      } = await claim();
      clock.advance(leaseMs);
      const {
        deliveries: [taken],
      } = await claim();
      const of = (delivery: ClaimedDelivery, status: number, verdict: DeliveryVerdict) => ({
        delivery,
        startedAt: clock.now(),
        durationMs: 1,
        status,
        error: null,
        verdict,
      });
      const both = [of(lapsed!, 500, { state: 'exhausted' }), of(taken!, 200, { state: 'delivered' })];
      await store.recordAttempts(place === 'first' ? both : both.reverse(), clock.now());
      expect(await db.query('select state, attempts from deliveries')).toEqual([{ state: 'delivered', attempts: 1 }]);
      expect(await db.query('select status from delivery_attempts')).toEqual([{ status: 200 }]);
    },
  );
});

describe('delivery queues of which nothing was heard for an hour', () => {
  it('are forgotten when they are empty, and only then', async () => {
    await tell(1, 'empty.example');
    await tell(1, 'pending.example');
    const { deliveries } = await claim();
    await record(
      deliveries.filter(({ host }) => host === 'empty.example'),
      { state: 'delivered' },
    );
    clock.advance(leaseMs);
    await claim();
    clock.advance(3_600_001);
    await deliveryQueues.forget(clock.now());
    expect((await deliveryQueueRows()).map(({ host }) => host)).toEqual(['pending.example']);
    await tell(1, 'empty.example');
    expect((await claim()).deliveries.map(({ host }) => host).sort()).toEqual(['empty.example', 'pending.example']);
  });
});
