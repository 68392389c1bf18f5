import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  atDepth,
  eachOf,
  ledgerCheck,
  orderKey,
  FIXTURE_WITHIN_MS,
  until,
  type ApiClient,
  type OrderAnswer,
  type OrderQuery,
} from '@vuka/testing';

import { diesAt } from './crash-points.spec-support.js';
import { Orders, type Asked } from './orders.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';

/** Longer than a start and a load together, so that all payments are in time. */
const ORDER_SECONDS = 90;
const ORDERS = atDepth({ commit: 8, whole: 12 });
const KILLS = atDepth({ commit: 1, whole: 2 });
/** At half of a load some are done and some under way. */
const AT_ONCE = ORDERS / 2;
/** If a reader dies, its lease on a page of the chain lapses after a minute. */
const LEASED_MS = 80_000;
const BLOCKS_AWAY = 100;
const PAID_EVERY = atDepth({ commit: 20, whole: 10 });

/** Exactly what is due, more (the wallet gets the rest), and two parts. */
const KINDS = [
  { network: 'CELO', asset: 'USDC', pays: ['due'] },
  { network: 'BNB', asset: 'USDT', pays: ['9.000000000000000001'] },
  { network: 'CELO', asset: 'CUSD', pays: ['3', '4.9'] },
  { network: 'CELO', asset: 'USDT', pays: ['due', '1'] },
] as const;

let fixture: PayFixture;
let orders: Orders;

beforeAll(async () => {
  fixture = await openPayFixture({
    asksOnce: true,
    chains: ['CELO', 'BNB'],
    env: { CHECKOUT_ORDER_SECONDS: String(ORDER_SECONDS), UNAPPLIED_POLICY: 'wallet' },
  });
  orders = new Orders(fixture);
  for (const [index, client] of fixture.clients.entries())
    await client.orders.tellAt(fixture.receiver.url(`/orders-${index}`));
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

interface Wanted {
  readonly client: ApiClient;
  readonly query: OrderQuery;
  readonly pays: readonly string[];
}

const unpaid: Wanted[] = [];

/** Pays orders as soon as they are answered; the next load repeats unanswered ones. `halfWay` runs in the middle. */
async function load(name: string, halfWay: () => Promise<void> = async () => undefined): Promise<void> {
  const open = unpaid.splice(0);
  const fresh = Array.from({ length: ORDERS }, (_, index): Wanted => {
    const { network, asset, pays } = KINDS[index % KINDS.length] ?? KINDS[0];
    return {
      client: fixture.clients[index % 2] as ApiClient,
      query: orders.query(`${name}-${index}`.replace(/[^\w-]/g, '-'), { network, asset }),
      pays,
    };
  });
  const all = [...open, ...fresh];
  await eachOf(all, AT_ONCE, async (wanted, index) => {
    if (index === Math.floor(all.length / 2)) await halfWay();
    await payOne(wanted);
  });
  await mineAll();
}

/** Repeated until answered: a process that just restarted may say it has no time. */
async function payTheRest(): Promise<void> {
  await until(
    async () => {
      for (const wanted of unpaid.splice(0)) await payOne(wanted);
      return unpaid.length === 0;
    },
    { what: 'every order has been answered', withinMs: 60_000 },
  );
  await mineAll();
}

async function mineAll(): Promise<void> {
  await Promise.all(['CELO', 'BNB'].map((chain) => fixture.chain(chain).mineToFinality()));
}

async function payOne(wanted: Wanted): Promise<void> {
  const { client, query, pays } = wanted;
  const answer = await client.orders.create(query).catch(() => null);
  if (answer === null) unpaid.push(wanted);
  else await paid({ client, id: query.order_id, answer }, pays);
}

async function paid(order: Asked, amounts: readonly string[]): Promise<void> {
  for (const amount of amounts)
    await orders.send(order, amount === 'due' ? order.answer.asset_amount : amount, { mine: false });
}

describe('the process dies while orders are made and paid', () => {
  it.each(Array.from({ length: KILLS }, (_, kill) => kill))(
    'killed in the middle of a load, time %i',
    async (kill) => {
      await load(`kill-${kill}`, async () => fixture.vuka.kill9({ postgres: false }));
      await fixture.vuka.restart();
    },
    240_000,
  );

  it('between a reservation and its order', async () => {
    await load('back');
    await fixture.vuka.stop();
    await diesAt(fixture.vuka, { point: 'checkout.after-reserve', times: 4, withinMs: 60_000 }, () => load('reserved'));
  }, 240_000);
});

describe('while nobody watches', () => {
  it(`a hundred blocks with deposits pass: each deposit is found once`, async () => {
    const { vuka, one } = fixture;
    await vuka.restart();
    await load('before');
    await payTheRest();
    const open = await eachOf(Array.from({ length: BLOCKS_AWAY / PAID_EVERY }), AT_ONCE, (_, index) =>
      orders.open(`away-${index}`, { amount: 1000 + index }),
    );
    await vuka.kill9({ postgres: false });
    const celo = fixture.chain('CELO');
    for (const order of open) {
      await orders.send(order, order.answer.asset_amount, { mine: false });
      await celo.mine(PAID_EVERY);
    }
    await celo.mineToFinality();
    await vuka.restart();
    for (const order of open) expect((await orders.stands(order, 'COMPLETE', LEASED_MS)).reason).toBe('');
    expect(
      (await one.listed<{ order_id: string }>('/v1/transactions')).filter(({ order_id: id }) =>
        open.some((order) => order.id === id),
      ),
    ).toHaveLength(open.length);
  }, 240_000);
});

describe('in the end', () => {
  it('each order that was paid is COMPLETE, credited once and told; what was over is in the wallet, and the ledger is sound', async () => {
    expect(unpaid.map(({ query }) => query.order_id)).toEqual([]);
    const { orders: count } = await fixture.checker.expectSound({ unapplied: 'wallet' });
    expect(count).toBeGreaterThan((KILLS + 2) * ORDERS);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
    const addresses = fixture.clients
      .flatMap(({ orders: { sent } }) => sent)
      .map((order) => [orderKey(order), order.answers.map(({ address }: OrderAnswer) => address)] as const);
    for (const [name, told] of addresses) expect([name, new Set(told).size]).toEqual([name, 1]);
  }, 240_000);
});
