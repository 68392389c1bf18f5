import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Envelope, OrderSettled, OrderView } from '@vuka/contracts';

import { DUE, MINUTE, START, Teller, toldOf } from '../testing/checkout.spec-support.js';
import { OrderBench, statuses, usesOf } from '../testing/order-bench.spec-support.js';
import type { OrderDepositEvent } from './record-told.js';
import { USES_AT_ONCE } from './settle-order.js';

let bench: OrderBench;

beforeAll(async () => {
  bench = await OrderBench.open();
}, 60_000);
afterAll(() => bench.end());
beforeEach(() => bench.clear());
afterEach(() => bench.stopAll());

const HALF_HUNDREDTH = 5_000n;
const LATE = new Date(START.getTime() + 420_000 + 30_001);
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
    await bench.db.query<{
      state: string;
      reason: string;
      due_at: Date | null;
      passed_at: Date | null;
      sequence: number;
    }>('select * from orders where order_number = $1', [order_number])
  )[0]!;

describe('what is due, in time and final', () => {
  it('completes the order at once: the partner is told of both steps, and the deposit is reported with its credit', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    await bench.deliver(teller.seen(7));
    expect(await bench.viewOf(order)).toMatchObject({
      status: 'PROCESSING',
      received_minor: '10000000',
      transaction_hash: expect.stringMatching(/^0x0+7$/),
    });
    await bench.deliver(teller.confirmed(7));
    expect(await bench.viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: '', received_minor: '10000000' });

    const { changes, settled } = await toldOf(bench.db, order.order_number);
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
      await bench.db.query(
        'select sequence, from_state, to_state, event, detail from order_transitions order by sequence',
      ),
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
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    for (const [place, amount] of amounts.entries()) await bench.deliver(teller.confirmed(place + 1, { amount }));
    expect(await bench.viewOf(order)).toMatchObject({ status: 'COMPLETE', reason });
    const { changes, settled } = await toldOf(bench.db, order.order_number);
    expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
    expect(settled.map(usesOf)).toEqual([uses]);
  });

  it('with more transfers than fit into one event is reported in several events of one credit', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    const count = 2 * USES_AT_ONCE + 1;
    const part = DUE / BigInt(count) + 1n;
    for (let claim = 1; claim <= count; claim += 1) await bench.deliver(teller.confirmed(claim, { amount: part }));
    const { settled } = await toldOf(bench.db, order.order_number);
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
  it('counts as it was seen last, even if an older report arrives later', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    const [first, second] = [teller.seen(1), teller.seen(1, { symbol: 'USDT' })];
    await bench.deliver(first);
    expect(await bench.viewOf(order)).toMatchObject({ status: 'PROCESSING', received_minor: '10000000' });
    await bench.deliver(second);
    expect(await bench.viewOf(order)).toMatchObject({ status: 'PROCESSING', received_minor: '0' });
    const other = await bench.newOrder('order-2');
    const again = new Teller(other.order_number, bench.clock);
    const [older, newer] = [again.seen(1), again.seen(1, { amount: 4_000_000n })];
    await bench.deliver(newer, older);
    expect(await bench.viewOf(other)).toMatchObject({ received_minor: '4000000' });
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
  ])('because %s, fails only when its chain is scanned past its end', async (_, told, reason) => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    const events = told(teller);
    await bench.deliver(...events);
    bench.clock.advance(60 * MINUTE);
    await bench.checkout.jobs.wake('checkout.judge-due');
    expect(['PENDING', 'PROCESSING']).toContain((await bench.viewOf(order)).status);
    await bench.deliver(teller.passed());
    expect(await bench.viewOf(order)).toMatchObject({ status: 'FAILED', reason });
    const { changes, settled } = await toldOf(bench.db, order.order_number);
    expect(statuses(changes).at(-1)).toBe('FAILED');
    const isThere =
      events.some(({ type }) => type === 'order-deposit.confirmed') &&
      !events.some(({ type }) => type === 'order-deposit.reverted');
    expect(settled.map(({ data }) => [data.credit, usesOf({ data } as Envelope<'order.settled'>)])).toEqual(
      isThere ? [[null, ['10: 0 0']]] : [],
    );
  });

  it('settles later transfers separately: they refine the reason "expired" without a webhook', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    await bench.deliver(
      teller.passed(),
      teller.confirmed(1, { at: LATE }),
      teller.confirmed(2, { symbol: 'USDT', at: LATE }),
    );
    expect(await bench.viewOf(order)).toMatchObject({ status: 'FAILED', reason: 'late' });
    const { changes, settled } = await toldOf(bench.db, order.order_number);
    expect(statuses(changes)).toEqual(['FAILED']);
    expect(settled.map(({ sequence, data }) => [sequence, data.credit, data.reason, data.uses.length])).toEqual([
      [1, null, 'late', 1],
      [2, null, 'wrong_asset', 1],
    ]);
  });

  it('uses nothing of another transfer once it is COMPLETE', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    await bench.deliver(teller.confirmed(1), teller.confirmed(2), teller.passed());
    expect(await bench.viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: 'overpaid' });
    const { changes, settled } = await toldOf(bench.db, order.order_number);
    expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
    expect(settled.map(({ data }): [boolean, OrderSettled['reason']] => [data.credit !== null, data.reason])).toEqual([
      [true, ''],
      [false, 'overpaid'],
    ]);
  });
});

describe('what the chain takes back from an order that is COMPLETE', () => {
  it('does not change it, and raises one alarm each time', async () => {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    const reverted = [teller.confirmed(1), teller.reverted(1)];
    await bench.deliver(...reverted, ...reverted);
    expect(await bench.viewOf(order)).toMatchObject({ status: 'COMPLETE', reason: '' });
    expect((await toldOf(bench.db, order.order_number)).settled).toHaveLength(1);
    const alarms = bench.checkout.logged.filter((line) => line.includes('order_deposit_reverted'));
    expect(alarms.map((line) => (JSON.parse(line) as { order_number: number }).order_number)).toEqual([
      order.order_number,
    ]);
    // In another block it is a new deposit, which the order does not need.
    await bench.deliver(teller.confirmed(1, { deposit: 11 }));
    expect((await toldOf(bench.db, order.order_number)).settled.map(usesOf)).toEqual([
      ['10: 10000000 129350'],
      ['11: 0 0'],
    ]);
  });
});

describe('what was seen in time and is not final at the end', () => {
  async function seenAtItsEnd(): Promise<{ order: OrderView; teller: Teller }> {
    const order = await bench.newOrder();
    const teller = new Teller(order.order_number, bench.clock);
    await bench.deliver(teller.seen(1));
    bench.clock.advance(8 * MINUTE);
    await bench.deliver(teller.passed());
    expect(await bench.viewOf(order)).toMatchObject({ status: 'PROCESSING' });
    return { order, teller };
  }

  it('may become final for 45 minutes', async () => {
    const { order, teller } = await seenAtItsEnd();
    expect((await standing(order)).due_at).toEqual(new Date(START.getTime() + 52 * MINUTE));
    bench.clock.advance(40 * MINUTE);
    await bench.deliver(teller.confirmed(1));
    expect(await bench.viewOf(order)).toMatchObject({ status: 'COMPLETE' });
    expect((await standing(order)).due_at).toBeNull();
  });

  it('fails then exactly once, after a restart and with two processes; a transfer that becomes final later still belongs to the partner', async () => {
    const { order, teller } = await seenAtItsEnd();
    await bench.stopAll();
    bench.clock.advance(45 * MINUTE);
    bench.checkout = await bench.start();
    const other = await bench.start();
    await Promise.all([bench.checkout, other].map(({ service }) => service.start()));
    for (;;) {
      await Promise.all([bench.checkout, other].map(({ jobs }) => jobs.wake('checkout.judge-due')));
      if ((await bench.viewOf(order)).status === 'FAILED') break;
    }
    expect(statuses((await toldOf(bench.db, order.order_number)).changes)).toEqual(['PROCESSING', 'FAILED']);
    expect(await bench.viewOf(order)).toMatchObject({ reason: 'expired' });
    await bench.deliver(teller.confirmed(1));
    expect(await bench.viewOf(order)).toMatchObject({ status: 'FAILED', reason: 'late' });
    expect(
      (await toldOf(bench.db, order.order_number)).settled.map(({ data }) => [data.credit, data.uses.length]),
    ).toEqual([[null, 1]]);
  });
});

describe('people are called', () => {
  it('only for orders that were not judged a quarter of an hour after their end', async () => {
    await bench.checkout.service.start();
    const orders = [await bench.newOrder('passed'), await bench.newOrder('behind')];
    const teller = new Teller(orders[0]!.order_number, bench.clock);
    await bench.deliver(teller.seen(1));
    bench.clock.advance(21 * MINUTE);
    await bench.deliver(teller.passed());
    await bench.checkout.jobs.wake('checkout.page-orders');
    expect(bench.checkout.logged.filter((line) => line.includes('orders_stuck'))).toEqual([]);
    bench.clock.advance(2 * MINUTE);
    await bench.checkout.jobs.wake('checkout.page-orders');
    const alarms = bench.checkout.logged
      .filter((line) => line.includes('orders_stuck'))
      .map((line) => JSON.parse(line) as object);
    expect(alarms).toMatchObject([{ chain: 'CELO', orders: 1, not_checked_through: 1, minutes: 16 }]);
  });
});

describe('an event', () => {
  it("of another partner's order is refused for good", async () => {
    const order = await bench.newOrder();
    const event = new Teller(order.order_number, bench.clock).confirmed(1);
    await expect(bench.deliver({ ...event, data: { ...event.data, partner_id: 2 } })).rejects.toMatchObject({
      name: 'PermanentEventError',
    });
    expect(await bench.viewOf(order)).toMatchObject({ status: 'PENDING' });
  });
});
