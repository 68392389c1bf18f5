import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fail, type Result } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { ManualClock } from '@vuka/runtime';

import {
  START,
  Teller,
  context,
  emptyTables,
  latch,
  orderInput,
  startProcess,
  startTestDatabase,
  toldOf,
  until,
  type Process,
  type TestDatabase,
} from '../testing/checkout.spec-support.js';
import type { OrderInput, OrderMade } from './create-order.js';

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let processes: Process[];

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);

afterAll(() => database.stop());

beforeEach(async () => {
  await emptyTables(db);
  clock = new ManualClock(START);
  processes = [];
});

afterEach(() => Promise.all(processes.map(({ service }) => service.stop())));

async function start(settings: Parameters<typeof startProcess>[2] = {}): Promise<Process> {
  const started = await startProcess(database, clock, settings);
  processes.push(started);
  return started;
}

const create = ({ service }: Process, over: Partial<OrderInput> = {}): Promise<Result<OrderMade>> =>
  service.handlers.createOrder(orderInput(over), context);
const made = (result: Result<OrderMade>): OrderMade => {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
};
const count = async (): Promise<number> =>
  Number((await db.query<{ count: string }>('select count(*) from orders'))[0]?.count);

describe('an order', () => {
  it('is made with what offramp reserved for its number, and sends no webhook', async () => {
    const checkout = await start();
    const { order, replayed } = made(await create(checkout));
    expect(replayed).toBe(false);
    expect(order).toEqual({
      order_number: expect.any(Number),
      order_id: 'order-1',
      status: 'PENDING',
      reason: '',
      message: expect.stringMatching(/^Waiting for 10 USDC/),
      network: 'CELO',
      asset: 'USDC',
      token: expect.stringMatching(/^0x/),
      decimals: 6,
      currency: 'KES',
      amount_minor: '129350',
      usd_cents: '1000',
      rate: '129.35',
      due_minor: '10000000',
      received_minor: '0',
      address: `0x${order.order_number.toString(16).padStart(40, '0')}`,
      memo_address: '',
      memo: '',
      created_at: '2026-11-20T10:00:00.000Z',
      expires_at: '2026-11-20T10:07:00.000Z',
      transaction_hash: null,
      page_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(order.order_number).toBeGreaterThanOrEqual(5_000_000_000_000_000);
    expect(checkout.offramp.asked).toEqual([
      {
        partner_id: 1,
        currency: 'KES',
        amount_minor: '129350',
        chain: 'CELO',
        asset: 'USDC',
        order_number: order.order_number,
        lives_s: 420,
        most_usd_cents: '100000000',
      },
    ]);
    expect(await db.query('select sequence, from_state, to_state, event from order_transitions')).toEqual([
      { sequence: 1, from_state: null, to_state: 'PENDING', event: 'made' },
    ]);
    expect(await toldOf(db, order.order_number)).toEqual({ changes: [], settled: [] });
    expect(await checkout.service.handlers.orderStatus({ partner_id: 1, order_id: 'order-1' }, context)).toEqual({
      ok: true,
      value: order,
    });
    expect(await checkout.service.handlers.orderByToken({ page_token: order.page_token }, context)).toEqual({
      ok: true,
      value: order,
    });
  });

  it('is visible only to its partner', async () => {
    const checkout = await start();
    const [first, other] = [made(await create(checkout)), made(await create(checkout, { partner_id: 2 }))];
    expect(other.order.address).not.toBe(first.order.address);
    expect(await checkout.service.handlers.orderStatus({ partner_id: 3, order_id: 'order-1' }, context)).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await checkout.service.handlers.orderByToken({ page_token: 'x'.repeat(43) }, context)).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });
});

describe('the same request again', () => {
  it('is the same order, even if limits, chains or the default webhook have changed', async () => {
    const checkout = await start({ mostOpenOrders: 1 });
    const { order } = made(await create(checkout));
    clock.advance(3_600_000);
    checkout.offramp.next.push(async () => fail({ code: 'service_unavailable', message: 'CELO is switched off' }));
    expect(made(await create(checkout, { callback_url: null }))).toEqual({ order, replayed: true });
    expect(checkout.offramp.asked).toHaveLength(1);
  });

  it.each<[string, Partial<OrderInput>]>([
    ['network', { network: 'BASE' }],
    ['asset', { asset: 'USDT' }],
    ['currency', { currency: 'UGX' }],
    ['amount', { amount_minor: '129351' }],
  ])('with another %s is refused, and nothing is reserved for it', async (_, over) => {
    const checkout = await start({ mostOpenOrders: 1 });
    made(await create(checkout));
    expect(await create(checkout, over)).toMatchObject({ ok: false, error: { code: 'reference_reused' } });
    expect(checkout.offramp.asked).toHaveLength(1);
  });

  it('at the same time in one process is one order, and one reservation', async () => {
    const checkout = await start();
    const answers = (await Promise.all(Array.from({ length: 20 }, () => create(checkout)))).map(made);
    expect(new Set(answers.map(({ order }) => JSON.stringify(order))).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(checkout.offramp.asked).toHaveLength(1);
  });

  it('with another order_id at the same time in two processes counts as one more order each', async () => {
    const two = [await start(), await start()];
    (
      await Promise.all(Array.from({ length: 20 }, (_, n) => create(two[n % 2]!, { order_id: `order-${String(n)}` })))
    ).map(made);
    expect(
      (await db.query<{ place: string }>('select place from orders order by place')).map(({ place }) => Number(place)),
    ).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });

  it('at the same time in two processes is one order: nobody sees the second reservation', async () => {
    const two = [await start(), await start()];
    // Both reserve before either keeps its order.
    const barrier = latch<undefined>();
    for (const { offramp } of two) {
      offramp.next.push(async (input) => {
        if (two.every((one) => one.offramp.asked.length === 1)) barrier.resolve(undefined);
        await barrier.promise;
        return { ok: true, value: offramp.reservation(input) };
      });
    }
    const answers = (await Promise.all(two.map((checkout) => create(checkout)))).map(made);
    expect(answers[0]?.order).toEqual(answers[1]?.order);
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(await count()).toBe(1);
  });

  it('with another body at the same time gives one order and one refusal', async () => {
    const two = [await start(), await start()];
    const answers = await Promise.all(
      two.map((checkout, place) => create(checkout, { amount_minor: String(100_000 + place) })),
    );
    expect(answers.map((answer) => (answer.ok ? 'made' : answer.error.code)).sort()).toEqual([
      'made',
      'reference_reused',
    ]);
    expect(await count()).toBe(1);
  });

  it('waits at most as long as its caller', async () => {
    const checkout = await start();
    const never = latch<never>();
    checkout.offramp.next.push(() => never.promise);
    const first = create(checkout).catch((error: Error) => error.message);
    const late = checkout.service.handlers.createOrder(orderInput(), {
      ...context,
      deadline: clock.now().getTime() + 20,
    });
    clock.advance(20);
    await expect(late).rejects.toThrow(/no answer before the deadline/);
    never.reject(new Error('gone'));
    expect(await first).toBe('gone');
    expect(made(await create(checkout)).replayed).toBe(false);
  });
});

describe('what goes wrong between the reservation and the order', () => {
  it('leaves a reservation that nobody saw, and the next try gets another number', async () => {
    const checkout = await start();
    checkout.offramp.next.push(() => Promise.reject(new Error('the answer was lost')));
    await expect(create(checkout)).rejects.toThrow('the answer was lost');
    expect(await count()).toBe(0);
    const { order } = made(await create(checkout));
    const [lost, kept] = checkout.offramp.asked;
    expect(kept?.order_number).toBe(order.order_number);
    expect(lost?.order_number).not.toBe(order.order_number);

    // A `passed` event of a lost order raises no alarm. Money does, because its address was never shown.
    const teller = new Teller(lost!.order_number, clock);
    const [passed, confirmed] = [teller.passed(), teller.confirmed(1)];
    await expect(checkout.eventBus.deliver(passed)).rejects.toThrow(/no such order/);
    clock.advance(5_000);
    await checkout.eventBus.deliver(passed);
    await expect(checkout.eventBus.deliver(confirmed)).rejects.toThrow(/no such order/);
    clock.advance(3_600_000);
    await expect(checkout.eventBus.deliver(confirmed)).rejects.toThrow(/no such order/);
    expect(checkout.logged.join('')).not.toMatch(/"level":50/);
  });

  it('does not become an order if it expired before it was stored', async () => {
    const checkout = await start();
    checkout.offramp.next.push(async (input) => {
      const value = checkout.offramp.reservation(input);
      clock.advance(420_000);
      return { ok: true, value };
    });
    expect(await create(checkout)).toMatchObject({ ok: false, error: { code: 'service_unavailable', retryAfterS: 1 } });
    expect(await count()).toBe(0);
  });
});

describe('an order that is refused', () => {
  it.each(['unsupported_network', 'rate_stale', 'service_unavailable'] as const)(
    'by offramp (%s) is refused with the text of offramp, and its order_id stays free',
    async (code) => {
      const checkout = await start();
      checkout.offramp.next.push(async () => fail({ code, message: 'in its words' }));
      expect(await create(checkout)).toEqual({ ok: false, error: { code, message: 'in its words' } });
      expect(made(await create(checkout, { network: 'BASE' })).replayed).toBe(false);
    },
  );

  it('because too many are open is accepted when one order of that partner has ended', async () => {
    const checkout = await start({ mostOpenOrders: 2 });
    const { order } = made(await create(checkout));
    made(await create(checkout, { order_id: 'order-2' }));
    expect(await create(checkout, { order_id: 'order-3' })).toMatchObject({
      ok: false,
      error: { code: 'rate_limited', retryAfterS: 30 },
    });
    made(await create(checkout, { order_id: 'order-3', partner_id: 2 }));
    await checkout.eventBus.deliver(new Teller(order.order_number, clock).confirmed(1));
    await until(async () => (await create(checkout, { order_id: 'order-3' })).ok);
    expect(checkout.offramp.asked).toHaveLength(4);
  });

  it('because too many were made is accepted when one of that partner’s orders is a day old, in any state', async () => {
    const checkout = await start({ mostOrdersADay: 2 });
    const { order } = made(await create(checkout));
    await checkout.eventBus.deliver(new Teller(order.order_number, clock).confirmed(1));
    clock.advance(3_600_000);
    made(await create(checkout, { order_id: 'order-2' }));
    clock.advance(3_600_000);
    const refused = await create(checkout, { order_id: 'order-3' });
    expect(refused).toEqual({
      ok: false,
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^2 orders of this account were made within 24 hours/),
        retryAfterS: 79_200,
      },
    });
    expect(made(await create(checkout)).replayed).toBe(true);
    made(await create(checkout, { order_id: 'order-3', partner_id: 2 }));
    clock.advance(79_200_000 - 1);
    expect(await create(checkout, { order_id: 'order-3' })).toMatchObject({ ok: false, error: { retryAfterS: 1 } });
    expect(checkout.offramp.asked).toHaveLength(3);
    clock.advance(1);
    made(
      await checkout.service.handlers.createOrder(orderInput({ order_id: 'order-3' }), {
        ...context,
        deadline: clock.now().getTime() + 1_000,
      }),
    );
  });

  it('because open orders would be worth too much is accepted when one order of that partner has ended', async () => {
    const checkout = await start({ mostOpenOrdersCents: 2_999n });
    const { order } = made(await create(checkout));
    made(await create(checkout, { order_id: 'order-2' }));
    // Offramp computes the value from its rate, and reserves nothing above the limit.
    expect(await create(checkout, { order_id: 'order-3' })).toEqual({
      ok: false,
      error: {
        code: 'rate_limited',
        message: expect.stringMatching(/^Open orders of this account would be worth more than 29 US/),
        retryAfterS: 30,
      },
    });
    made(await create(checkout, { order_id: 'order-3', partner_id: 2 }));
    await checkout.eventBus.deliver(new Teller(order.order_number, clock).confirmed(1));
    made(await create(checkout, { order_id: 'order-3' }));
    expect(checkout.offramp.asked.map(({ most_usd_cents: most }) => most)).toEqual([
      '2999',
      '1999',
      '999',
      '2999',
      '1999',
    ]);
  });

  it('because open orders have reached the value limit asks for no rate', async () => {
    const checkout = await start({ mostOpenOrdersCents: 2_000n });
    made(await create(checkout));
    made(await create(checkout, { order_id: 'order-2' }));
    expect(await create(checkout, { order_id: 'order-3' })).toMatchObject({
      ok: false,
      error: { code: 'rate_limited', retryAfterS: 30 },
    });
    expect(checkout.offramp.asked).toHaveLength(2);
  });
});
