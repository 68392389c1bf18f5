import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope, OrderSettled, OrderView } from '@vuka/contracts';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';
import { drawn } from '@vuka/testing';

import { OrderDesk } from '../admin/order-desk.js';
import { STUCK_AFTER_MS } from '../orders/page-orders.js';
import {
  DUE,
  MINUTE,
  START,
  Teller,
  context,
  emptyTables,
  orderInput,
  startProcess,
  startTestDatabase,
  toldOf,
  type Process,
  type TestDatabase,
} from '../testing/checkout.spec-support.js';
import type { OrderDepositEvent } from './record-told.js';
import { USES_AT_ONCE } from './settle-order.js';

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let processes: Process[];
let checkout: Process;

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);

afterAll(() => database.stop());

beforeEach(async () => {
  await emptyTables(db);
  clock = new ManualClock(START);
  processes = [];
  checkout = await start();
});

afterEach(() => Promise.all(processes.map(({ service }) => service.stop())));

async function start(): Promise<Process> {
  const started = await startProcess(database, clock);
  processes.push(started);
  return started;
}

async function newOrder(orderId = 'order-1'): Promise<OrderView> {
  const made = await checkout.service.handlers.createOrder(orderInput({ order_id: orderId }), context);
  if (!made.ok) throw new Error(made.error.message);
  return made.value.order;
}

async function viewOf({ order_id }: OrderView): Promise<OrderView> {
  const found = await checkout.service.handlers.orderStatus({ partner_id: 1, order_id }, context);
  if (!found.ok) throw new Error(found.error.message);
  return found.value;
}

async function deliver(...events: OrderDepositEvent[]): Promise<void> {
  for (const event of events) await checkout.wire.deliver(event);
}

const HALF_HUNDREDTH = 5_000n;
const DRAWN_WAYS = 40;
const LATE = new Date(START.getTime() + 420_000 + 30_001);
const statuses = (changes: readonly Envelope<'order.complete'>[]): string[] =>
  changes.map(({ data }) => data.payload.status);
const usesOf = ({ data }: Envelope<'order.settled'>): string[] =>
  data.uses.map(({ deposit, used_minor, credited_minor }) => `${deposit.deposit_id}: ${used_minor} ${credited_minor}`);
const standing = async ({
  order_number,
}: OrderView): Promise<{
  state: string;
  reason: string;
  due_at: Date | null;
  passed_at: Date | null;
  sequence: number;
}> =>
  (
    await db.query<{ state: string; reason: string; due_at: Date | null; passed_at: Date | null; sequence: number }>(
      'select * from orders where order_number = $1',
      [order_number],
    )
  )[0]!;

describe('what is due, in time and final', () => {
  it('completes the order at once: its partner is told of both steps, and what pays for it is told with its credit', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    await deliver(teller.seen(7));
    expect(await viewOf(order)).toMatchObject({
      status: 'PROCESSING',
      received_minor: '10000000',
      transaction_hash: expect.stringMatching(/^0x0+7$/),
    });
    await deliver(teller.confirmed(7));
    expect(await viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: '', received_minor: '10000000' });

    const { changes, settled } = await toldOf(db, order.order_number);
    expect(changes.map(({ type, sequence, data }) => [type, sequence, data])).toEqual([
      [
        'order.processing',
        1,
        {
          order_number: order.order_number,
          partner_id: 1,
          callback_url: 'https://partner.example/hook',
          public_sequence: 1,
          payload: { status: 'PROCESSING', order_id: 'order-1', message: expect.any(String) },
        },
      ],
      [
        'order.complete',
        2,
        {
          order_number: order.order_number,
          partner_id: 1,
          callback_url: 'https://partner.example/hook',
          public_sequence: 2,
          payload: { status: 'COMPLETE', order_id: 'order-1', message: expect.any(String) },
        },
      ],
    ]);
    expect(settled.map(({ sequence, data }) => [sequence, data])).toEqual([
      [
        1,
        {
          order_number: order.order_number,
          order_id: 'order-1',
          partner_id: 1,
          reason: '',
          currency: 'KES',
          rate: '129.35',
          credit: {
            transaction_code: expect.stringMatching(/^[0-9a-f-]{36}$/),
            currency: 'KES',
            amount_minor: '129350',
            rate: '129.35',
            message: expect.any(String),
          },
          uses: [
            {
              deposit: expect.objectContaining({ deposit_id: 70, asset: 'USDC@CELO' }),
              used_minor: '10000000',
              credited_minor: '129350',
              screening_hit: false,
            },
          ],
        },
      ],
    ]);
    expect(
      await db.query('select sequence, from_state, to_state, event, detail from order_transitions order by sequence'),
    ).toEqual([
      { sequence: 1, from_state: null, to_state: 'PENDING', event: 'made', detail: '' },
      { sequence: 2, from_state: 'PENDING', to_state: 'PROCESSING', event: 'order-deposit.seen', detail: 'in_sight' },
      { sequence: 3, from_state: 'PROCESSING', to_state: 'COMPLETE', event: 'order-deposit.confirmed', detail: 'paid' },
    ]);
  });

  it.each<[string, bigint[], string, string[]]>([
    ['within the tolerance', [DUE - 2n * HALF_HUNDREDTH], '', ['10: 9990000 129350']],
    ['in two parts', [4_000_000n, 6_000_000n], '', ['10: 4000000 51740', '20: 6000000 77610']],
    ['with more than is due, within the tolerance', [DUE + HALF_HUNDREDTH], '', ['10: 10000000 129350']],
    ['with more than that', [DUE + 1_000_000n], 'overpaid', ['10: 10000000 129350']],
  ])('%s', async (_, amounts, reason, uses) => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    for (const [place, amount] of amounts.entries()) await deliver(teller.confirmed(place + 1, { amount }));
    expect(await viewOf(order)).toMatchObject({ status: 'COMPLETE', reason });
    const { changes, settled } = await toldOf(db, order.order_number);
    expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
    expect(settled.map(usesOf)).toEqual([uses]);
  });

  it('by more transfers than one event holds is told in parts of one credit', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    const count = 2 * USES_AT_ONCE + 1;
    const part = DUE / BigInt(count) + 1n;
    for (let claim = 1; claim <= count; claim += 1) await deliver(teller.confirmed(claim, { amount: part }));
    const { settled } = await toldOf(db, order.order_number);
    expect(settled.map(({ sequence, data }) => [sequence, data.uses.length])).toEqual([
      [1, USES_AT_ONCE],
      [2, USES_AT_ONCE],
      [3, 1],
    ]);
    expect(new Set(settled.map(({ data }) => JSON.stringify(data.credit))).size).toBe(1);
    const credited = settled
      .flatMap(({ data }) => data.uses)
      .reduce((sum, use) => sum + BigInt(use.credited_minor), 0n);
    expect(credited).toBe(129_350n);
  });
});

describe('a transfer that is seen again in another block', () => {
  it('is what it was seen as last, whichever is told last', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    const [first, second] = [teller.seen(1), teller.seen(1, { symbol: 'USDT' })];
    await deliver(first);
    expect(await viewOf(order)).toMatchObject({ status: 'PROCESSING', received_minor: '10000000' });
    await deliver(second);
    expect(await viewOf(order)).toMatchObject({ status: 'PROCESSING', received_minor: '0' });
    const other = await newOrder('order-2');
    const again = new Teller(other.order_number, clock);
    const [older, newer] = [again.seen(1), again.seen(1, { amount: 4_000_000n })];
    await deliver(newer, older);
    expect(await viewOf(other)).toMatchObject({ received_minor: '4000000' });
  });
});

describe('an order that is not paid as it asked', () => {
  it.each<[string, (teller: Teller) => OrderDepositEvent[], string]>([
    ['nothing comes', () => [], 'expired'],
    ['too little comes', (teller) => [teller.confirmed(1, { amount: DUE - 3n * HALF_HUNDREDTH })], 'underpaid'],
    ['another token comes', (teller) => [teller.confirmed(1, { symbol: 'USDT' })], 'wrong_asset'],
    ['it comes on another network', (teller) => [teller.confirmed(1, { chain: 'BASE' })], 'wrong_network'],
    ['it comes too late', (teller) => [teller.confirmed(1, { at: LATE })], 'late'],
    ['screening has marked it', (teller) => [teller.confirmed(1, {}, true)], 'expired'],
    ['it was seen, and is gone', (teller) => [teller.seen(1), teller.gone(1)], 'expired'],
    [
      'it was taken back',
      (teller) => [teller.confirmed(1, { amount: DUE / 2n }), teller.reverted(1, { amount: DUE / 2n })],
      'expired',
    ],
  ])('because %s, fails when its chain is past its end, and not before', async (_, told, reason) => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    const events = told(teller);
    await deliver(...events);
    clock.advance(60 * MINUTE);
    await checkout.jobs.wake('checkout.judge-due');
    expect(['PENDING', 'PROCESSING']).toContain((await viewOf(order)).status);
    await deliver(teller.passed());
    expect(await viewOf(order)).toMatchObject({ status: 'FAILED', reason });
    const { changes, settled } = await toldOf(db, order.order_number);
    expect(statuses(changes).at(-1)).toBe('FAILED');
    const isThere =
      events.some(({ type }) => type === 'order-deposit.confirmed') &&
      !events.some(({ type }) => type === 'order-deposit.reverted');
    expect(settled.map(({ data }) => [data.credit, usesOf({ data } as Envelope<'order.settled'>)])).toEqual(
      isThere ? [[null, ['10: 0 0']]] : [],
    );
  });

  it('and what comes for it later is settled by itself; it refines what was only expired, and nobody is told', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    await deliver(
      teller.passed(),
      teller.confirmed(1, { at: LATE }),
      teller.confirmed(2, { symbol: 'USDT', at: LATE }),
    );
    expect(await viewOf(order)).toMatchObject({ status: 'FAILED', reason: 'late' });
    const { changes, settled } = await toldOf(db, order.order_number);
    expect(statuses(changes)).toEqual(['FAILED']);
    expect(settled.map(({ sequence, data }) => [sequence, data.credit, data.reason, data.uses.length])).toEqual([
      [1, null, 'late', 1],
      [2, null, 'wrong_asset', 1],
    ]);
  });

  it('takes another transfer for nothing once it is COMPLETE', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    await deliver(teller.confirmed(1), teller.confirmed(2), teller.passed());
    expect(await viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: 'overpaid' });
    const { changes, settled } = await toldOf(db, order.order_number);
    expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
    expect(settled.map(({ data }): [boolean, OrderSettled['reason']] => [data.credit !== null, data.reason])).toEqual([
      [true, ''],
      [false, 'overpaid'],
    ]);
  });
});

describe('what the chain takes back from an order that is COMPLETE', () => {
  it('leaves it so, and people are called, each time once', async () => {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    const reverted = [teller.confirmed(1), teller.reverted(1)];
    await deliver(...reverted, ...reverted);
    expect(await viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: '' });
    expect((await toldOf(db, order.order_number)).settled).toHaveLength(1);
    const alarms = checkout.logged.filter((line) => line.includes('order_deposit_reverted'));
    expect(alarms.map((line) => (JSON.parse(line) as { order_number: number }).order_number)).toEqual([
      order.order_number,
    ]);
    // Back in another block it is another deposit, which the order has no use for.
    await deliver(teller.confirmed(1, { deposit: 11 }));
    expect((await toldOf(db, order.order_number)).settled.map(usesOf)).toEqual([['10: 10000000 129350'], ['11: 0 0']]);
  });
});

describe('in whatever order and however often it is told', () => {
  function permutations<T>(items: readonly T[]): T[][] {
    return items.length < 2
      ? [[...items]]
      : items.flatMap((item, place) =>
          permutations([...items.slice(0, place), ...items.slice(place + 1)]).map((rest) => [item, ...rest]),
        );
  }

  /** Five events in their every order (some of the 120, at a commit's depth), one of them twice in a row, and one once more at the end. */
  async function everyWay(
    make: (teller: Teller) => OrderDepositEvent[],
    check: (order: OrderView) => Promise<void>,
  ): Promise<void> {
    const ways = drawn(
      expect.getState().currentTestName ?? '',
      [...permutations(make(new Teller(1, clock)).map((_, place) => place)).entries()],
      DRAWN_WAYS,
    );
    const lanes = Array.from({ length: 3 }, async (_, lane) => {
      for (const [at, [place, way]] of ways.entries()) {
        if (at % 3 !== lane) continue;
        const order = await newOrder(`way-${String(place)}`);
        const events = make(new Teller(order.order_number, clock));
        const inThisOrder = way.map((index) => events[index]!);
        const twice = place % inThisOrder.length;
        await deliver(
          ...inThisOrder.slice(0, twice + 1),
          ...inThisOrder.slice(twice),
          inThisOrder[(place + 2) % inThisOrder.length]!,
        );
        await check(order);
      }
    });
    await Promise.all(lanes);
  }

  it('what adds up completes the order once', async () => {
    await everyWay(
      (teller) => [
        teller.seen(1, { amount: 4_000_000n }),
        teller.confirmed(1, { amount: 4_000_000n }),
        teller.seen(2, { amount: 6_000_000n }),
        teller.gone(2),
        teller.confirmed(2, { amount: 6_000_000n }),
      ],
      async (order) => {
        const { changes, settled } = await toldOf(db, order.order_number);
        expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
        expect(changes.map(({ sequence }) => sequence)).toEqual([1, 2]);
        expect(settled.map(usesOf)).toEqual([['10: 4000000 51740', '20: 6000000 77610']]);
        expect(
          await db.query('select claim_id, state from order_deposits where order_number = $1 order by claim_id', [
            order.order_number,
          ]),
        ).toEqual([
          { claim_id: '1', state: 'confirmed' },
          { claim_id: '2', state: 'confirmed' },
        ]);
      },
    );
  }, 120_000);

  it('what is not there any more never completes it', async () => {
    await everyWay(
      (teller) => [
        teller.seen(1),
        teller.gone(1),
        teller.confirmed(2, { amount: 4_000_000n }),
        teller.reverted(2, { amount: 4_000_000n }),
        teller.passed(),
      ],
      async (order) => {
        const { changes, settled } = await toldOf(db, order.order_number);
        expect(await viewOf(order)).toMatchObject({ status: 'FAILED', received_minor: '0', transaction_hash: null });
        expect(statuses(changes).filter((status) => status !== 'PROCESSING')).toEqual(['FAILED']);
        expect(settled.length).toBeLessThanOrEqual(1);
        for (const { data } of settled) expect(data.credit).toBeNull();
        const rows = await db.query<{ state: string }>(
          'select state from order_deposits where order_number = $1 order by claim_id',
          [order.order_number],
        );
        expect(rows.map(({ state }) => state).filter((state) => state !== 'gone')).toEqual(['reverted']);
      },
    );
  }, 120_000);

  it('two processes at once judge it once', async () => {
    const other = await start();
    const orders = await Promise.all(Array.from({ length: 20 }, (_, place) => newOrder(`order-${String(place)}`)));
    await Promise.all(
      orders.map(async ({ order_number: number }) => {
        const teller = new Teller(number, clock);
        const events = [teller.seen(1), teller.confirmed(1), teller.confirmed(2), teller.passed()];
        await Promise.all([checkout, other].flatMap(({ wire }) => events.map((event) => wire.deliver(event))));
      }),
    );
    for (const order of orders) {
      const { changes, settled } = await toldOf(db, order.order_number);
      // Whatever came first: it is either paid by the one, or by both, or it was past its end before either.
      // Of three and more that wait for an order, a later writer may have the earlier place in the log (libs/messaging, outbox.ts): the sequence is the order.
      for (const told of [changes, settled])
        expect(told.sort((a, b) => a.sequence - b.sequence).map(({ sequence }) => sequence)).toEqual(
          told.map((_, place) => place + 1),
        );
      expect(statuses(changes.slice(0, -1))).toEqual(changes.slice(1).map(() => 'PROCESSING'));
      expect(statuses(changes.slice(-1))).toEqual([expect.stringMatching(/^(COMPLETE|FAILED)$/)]);
      expect(settled.flatMap(({ data }) => data.uses.map(({ deposit }) => deposit.deposit_id)).sort()).toEqual([
        10, 20,
      ]);
      expect(settled.filter(({ data }) => data.credit !== null).length).toBeLessThanOrEqual(1);
    }
  }, 60_000);
});

describe('what was seen in time and is not final at the end', () => {
  async function seenAtItsEnd(): Promise<{ order: OrderView; teller: Teller }> {
    const order = await newOrder();
    const teller = new Teller(order.order_number, clock);
    await deliver(teller.seen(1));
    clock.advance(8 * MINUTE);
    await deliver(teller.passed());
    expect(await viewOf(order)).toMatchObject({ status: 'PROCESSING' });
    return { order, teller };
  }

  it('may become final for 45 minutes', async () => {
    const { order, teller } = await seenAtItsEnd();
    expect((await standing(order)).due_at).toEqual(new Date(START.getTime() + 52 * MINUTE));
    clock.advance(40 * MINUTE);
    await deliver(teller.confirmed(1));
    expect(await viewOf(order)).toMatchObject({ status: 'COMPLETE' });
    expect((await standing(order)).due_at).toBeNull();
  });

  it("fails then, over a restart and with two processes, once; and what becomes final after that is the partner's all the same", async () => {
    const { order, teller } = await seenAtItsEnd();
    await Promise.all(processes.splice(0).map(({ service }) => service.stop()));
    clock.advance(45 * MINUTE);
    checkout = await start();
    const other = await start();
    await Promise.all([checkout, other].map(({ service }) => service.start()));
    for (;;) {
      await Promise.all([checkout, other].map(({ jobs }) => jobs.wake('checkout.judge-due')));
      if ((await viewOf(order)).status === 'FAILED') break;
    }
    expect(statuses((await toldOf(db, order.order_number)).changes)).toEqual(['PROCESSING', 'FAILED']);
    expect(await viewOf(order)).toMatchObject({ reason: 'expired' });
    await deliver(teller.confirmed(1));
    expect(await viewOf(order)).toMatchObject({ status: 'FAILED', reason: 'late' });
    expect((await toldOf(db, order.order_number)).settled.map(({ data }) => [data.credit, data.uses.length])).toEqual([
      [null, 1],
    ]);
  });
});

describe('people are called', () => {
  it('for orders that are past their end by a quarter of an hour and were not judged, and for no others', async () => {
    const orders = [await newOrder('passed'), await newOrder('behind')];
    const teller = new Teller(orders[0]!.order_number, clock);
    await deliver(teller.seen(1));
    clock.advance(21 * MINUTE);
    await deliver(teller.passed());
    await checkout.jobs.wake('checkout.page-orders');
    expect(checkout.logged.filter((line) => line.includes('orders_stuck'))).toEqual([]);
    clock.advance(2 * MINUTE);
    await checkout.jobs.wake('checkout.page-orders');
    const alarms = checkout.logged
      .filter((line) => line.includes('orders_stuck'))
      .map((line) => JSON.parse(line) as object);
    expect(alarms).toMatchObject([{ chain: 'CELO', orders: 1, not_looked_through: 1, minutes: 16 }]);
  });
});

describe('the desk', () => {
  it("lists what is open with why, and tells one order's whole life by its number or its code", async () => {
    const orders = [await newOrder('runs'), await newOrder('seen'), await newOrder('paid')];
    const [, seen, paid] = orders.map(({ order_number: number }) => new Teller(number, clock));
    await deliver(seen!.seen(1), paid!.confirmed(2), paid!.confirmed(3));
    const desk = new OrderDesk(db);
    expect(
      (await desk.open(clock.now(), 45 * MINUTE, 10)).orders.map(({ orderId, state, why, isStuck }) => [
        orderId,
        state,
        why,
        isStuck,
      ]),
    ).toEqual([
      ['runs', 'PENDING', 'its time runs', false],
      ['seen', 'PROCESSING', 'its time runs', false],
    ]);
    clock.advance(7 * MINUTE + STUCK_AFTER_MS + 1);
    await deliver(seen!.passed());
    expect(await desk.open(clock.now(), 45 * MINUTE, 1)).toMatchObject({
      orders: [{ orderId: 'runs', why: 'its chain was not looked through past its end yet', isStuck: true }],
      more: true,
    });
    expect((await desk.open(clock.now(), 45 * MINUTE, 10)).orders[1]).toMatchObject({
      orderId: 'seen',
      why: 'what was seen in time is not final yet',
      isStuck: false,
    });

    const report = await desk.show(String(orders[2]!.order_number));
    expect(report).toMatchObject({
      order: { orderId: 'paid', state: 'COMPLETE', reason: 'overpaid' },
      transitions: [
        { to: 'PENDING' },
        { to: 'PROCESSING' },
        { to: 'COMPLETE', event: 'order-deposit.confirmed', detail: 'paid' },
        { to: 'COMPLETE', detail: 'overpaid' },
      ],
      deposits: [
        { depositId: 20, usedMinor: DUE, creditedMinor: 129_350n },
        { depositId: 30, usedMinor: 0n, creditedMinor: 0n },
      ],
    });
    expect(await desk.show(report!.order.transactionCode)).toEqual(report);
    expect(await desk.show('nobody')).toBeUndefined();
  });
});

describe('an event', () => {
  it("of another partner's order is refused for good", async () => {
    const order = await newOrder();
    const event = new Teller(order.order_number, clock).confirmed(1);
    await expect(deliver({ ...event, data: { ...event.data, partner_id: 2 } })).rejects.toMatchObject({
      name: 'PermanentEventError',
    });
    expect(await viewOf(order)).toMatchObject({ status: 'PENDING' });
  });
});
