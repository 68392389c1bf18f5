import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OrderView } from '@vuka/contracts';
import { drawn } from '@vuka/testing';

import { Teller, toldOf } from '../testing/checkout.spec-support.js';
import { OrderBench, statuses, usesOf } from '../testing/order-bench.spec-support.js';
import type { OrderDepositEvent } from './record-told.js';

const DRAWN_WAYS = 40;

let bench: OrderBench;

beforeAll(async () => {
  bench = await OrderBench.open();
}, 60_000);
afterAll(() => bench.end());
beforeEach(() => bench.clear());
afterEach(() => bench.stopAll());

describe('in whatever order and however often it is told', () => {
  function permutations<T>(items: readonly T[]): T[][] {
    return items.length < 2
      ? [[...items]]
      : items.flatMap((item, place) =>
          permutations([...items.slice(0, place), ...items.slice(place + 1)]).map((rest) => [item, ...rest]),
        );
  }

  /** All orders of five events (a sample at commit depth), one of them twice, and one again at the end. */
  async function everyWay(
    make: (teller: Teller) => OrderDepositEvent[],
    check: (order: OrderView) => Promise<void>,
  ): Promise<void> {
    const ways = drawn(
      expect.getState().currentTestName ?? '',
      [...permutations(make(new Teller(1, bench.clock)).map((_, place) => place)).entries()],
      DRAWN_WAYS,
    );
    const workers = Array.from({ length: 3 }, async (_, worker) => {
      for (const [at, [place, way]] of ways.entries()) {
        if (at % 3 !== worker) continue;
        const order = await bench.newOrder(`way-${String(place)}`);
        const events = make(new Teller(order.order_number, bench.clock));
        const inThisOrder = way.map((index) => events[index]!);
        const twice = place % inThisOrder.length;
        await bench.deliver(
          ...inThisOrder.slice(0, twice + 1),
          ...inThisOrder.slice(twice),
          inThisOrder[(place + 2) % inThisOrder.length]!,
        );
        await check(order);
      }
    });
    await Promise.all(workers);
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
        const { changes, settled } = await toldOf(bench.db, order.order_number);
        expect(statuses(changes)).toEqual(['PROCESSING', 'COMPLETE']);
        expect(changes.map(({ sequence }) => sequence)).toEqual([1, 2]);
        expect(settled.map(usesOf)).toEqual([['10: 4000000 51740', '20: 6000000 77610']]);
        expect(
          await bench.db.query('select claim_id, state from order_deposits where order_number = $1 order by claim_id', [
            order.order_number,
          ]),
        ).toEqual([
          { claim_id: '1', state: 'confirmed' },
          { claim_id: '2', state: 'confirmed' },
        ]);
      },
    );
  }, 120_000);

  it('never completes by a deposit that has vanished', async () => {
    await everyWay(
      (teller) => [
        teller.seen(1),
        teller.gone(1),
        teller.confirmed(2, { amount: 4_000_000n }),
        teller.reverted(2, { amount: 4_000_000n }),
        teller.passed(),
      ],
      async (order) => {
        const { changes, settled } = await toldOf(bench.db, order.order_number);
        expect(await bench.viewOf(order)).toMatchObject({
          status: 'FAILED',
          received_minor: '0',
          transaction_hash: null,
        });
        expect(statuses(changes).filter((status) => status !== 'PROCESSING')).toEqual(['FAILED']);
        expect(settled.length).toBeLessThanOrEqual(1);
        for (const { data } of settled) expect(data.credit).toBeNull();
        const rows = await bench.db.query<{ state: string }>(
          'select state from order_deposits where order_number = $1 order by claim_id',
          [order.order_number],
        );
        expect(rows.map(({ state }) => state).filter((state) => state !== 'gone')).toEqual(['reverted']);
      },
    );
  }, 120_000);

  it('two processes at once judge it once', async () => {
    const other = await bench.start();
    const orders = await Promise.all(
      Array.from({ length: 20 }, (_, place) => bench.newOrder(`order-${String(place)}`)),
    );
    await Promise.all(
      orders.map(async ({ order_number: number }) => {
        const teller = new Teller(number, bench.clock);
        const events = [teller.seen(1), teller.confirmed(1), teller.confirmed(2), teller.passed()];
        await Promise.all(
          [bench.checkout, other].flatMap(({ eventBus }) => events.map((event) => eventBus.deliver(event))),
        );
      }),
    );
    for (const order of orders) {
      const { changes, settled } = await toldOf(bench.db, order.order_number);
      // The result is always the same kind: paid by one, by both, or past its end first. With three writers the log may
      // be out of order (libs/messaging, outbox.ts), so sort by sequence.
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
