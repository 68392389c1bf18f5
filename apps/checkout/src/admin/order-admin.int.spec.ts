import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { OrderDepositStore, OrderStore, STUCK_AFTER_MS } from '../orders/index.js';
import { DUE, MINUTE, Teller } from '../testing/checkout.spec-support.js';
import { OrderBench } from '../testing/order-bench.spec-support.js';
import { OrderAdmin } from './order-admin.js';

let bench: OrderBench;

beforeAll(async () => {
  bench = await OrderBench.open();
}, 60_000);
afterAll(() => bench.end());
beforeEach(() => bench.clear());
afterEach(() => bench.stopAll());

describe('the admin API', () => {
  it('lists open orders with the reason, and shows the whole life of one order by its number or code', async () => {
    const orders = [await bench.newOrder('runs'), await bench.newOrder('seen'), await bench.newOrder('paid')];
    const [, seen, paid] = orders.map(({ order_number: number }) => new Teller(number, bench.clock));
    await bench.deliver(seen!.seen(1), paid!.confirmed(2), paid!.confirmed(3));
    const admin = new OrderAdmin(bench.db, new OrderStore(bench.db), new OrderDepositStore(bench.db));
    expect(
      (await admin.open(bench.clock.now(), 45 * MINUTE, 10)).orders.map(({ orderId, state, why, isStuck }) => [
        orderId,
        state,
        why,
        isStuck,
      ]),
    ).toEqual([
      ['runs', 'PENDING', 'it is still open', false],
      ['seen', 'PROCESSING', 'it is still open', false],
    ]);
    bench.clock.advance(7 * MINUTE + STUCK_AFTER_MS + 1);
    await bench.deliver(seen!.passed());
    expect(await admin.open(bench.clock.now(), 45 * MINUTE, 1)).toMatchObject({
      orders: [{ orderId: 'runs', why: 'its chain is not scanned past its end yet', isStuck: true }],
      more: true,
    });
    expect((await admin.open(bench.clock.now(), 45 * MINUTE, 10)).orders[1]).toMatchObject({
      orderId: 'seen',
      why: 'its transfer arrived in time and is not final yet',
      isStuck: false,
    });

    const report = await admin.show(String(orders[2]!.order_number));
    expect(report).toMatchObject({
      order: { orderId: 'paid', state: 'COMPLETE', reason: 'overpaid' },
      transitions: [
        { to: 'PENDING' },
        { to: 'PROCESSING' },
        { to: 'COMPLETE', event: 'order-deposit.confirmed', detail: 'paid' },
        { to: 'COMPLETE', detail: 'overpaid' },
      ],
      deposits: [
        { depositId: 20, used: { minor: DUE }, credited: { minor: 129_350n, currency: 'KES' } },
        { depositId: 30, used: { minor: 0n }, credited: { minor: 0n } },
      ],
    });
    expect(await admin.show(report!.order.transactionCode)).toEqual(report);
    expect(await admin.show('nobody')).toBeUndefined();
  });
});
