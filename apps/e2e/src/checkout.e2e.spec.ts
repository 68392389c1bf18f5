import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  dataOf,
  admin,
  ledgerCheck,
  minorOf,
  orderKey,
  readChainBook,
  FIXTURE_WITHIN_MS,
  until,
  type Answer,
  type IncomingTransfer,
} from '@vuka/testing';

import { PAST_FINALITY, SlowChains } from './checkout-chains.spec-support.js';
import { IS_DRAWN, LEFT, NAMES, REFUSED, TABLE, type Name } from './checkout-table.spec-support.js';
import { OrderTrips } from './order-trips.spec-support.js';
import { Orders } from './orders.spec-support.js';
import { openPayFixture, type PayFixture } from './pay-fixture.spec-support.js';
import { expectRefused, Pays } from './pays.spec-support.js';
import { Refunds } from './refunds.spec-support.js';
import { sideBySide, type Track } from './side-by-side.spec-support.js';

/** Order time, plus 30 s in which a block is still on time; all wait together. */
const ORDER_SECONDS = 10;
const OVER_WITHIN_MS = 60_000;
/** `finalized` is 16 blocks below the head, so a CELO payment 12 blocks deep may still vanish. */
const EPOCH = 8;
const ENOUGH_TO_PAY = 13;

let fixture: PayFixture;
let orders: Orders;
let trips: OrderTrips;
let slow: SlowChains;
let pays: Pays;
let refunds: Refunds;
let before: Map<string, bigint>;
/** Credited, but later taken off its chain. */
const vanishedOrders = new Map<string, IncomingTransfer>();

beforeAll(async () => {
  fixture = await openPayFixture({
    chains: ['CELO', 'BNB', 'ARBITRUM', 'SOLANA', 'STELLAR'],
    env: { CHECKOUT_ORDER_SECONDS: String(ORDER_SECONDS), VUKA_TEST_CHAIN_EPOCH: String(EPOCH) },
  });
  [orders, pays, refunds] = [new Orders(fixture), new Pays(fixture), new Refunds(fixture)];
  before = await fixture.one.wallets();
  for (const [index, client] of fixture.clients.entries())
    await client.orders.tellAt(fixture.receiver.url(`/orders-${index}`));
  trips = new OrderTrips(orders);
  slow = new SlowChains(fixture, orders, trips);
  for (const name of NAMES) trips.play(name);
  if (IS_DRAWN) return;
  trips.begin('sight', () => slow.sight());
  trips.begin('outage', () => slow.outage());
}, FIXTURE_WITHIN_MS);

afterAll(() => fixture.end(), 60_000);

describe('an order', () => {
  it('is answered with all that a payer needs, and a page of its own', async () => {
    const { answer, id } = await trips.of('exact');
    expect(answer).toEqual({
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      rate: 128.0565,
      amount: 7.81,
      expires_in: expect.any(Number),
      order_id: id,
      network: 'CELO',
      asset: 'USDC',
      asset_amount: '7.809054',
      memo_address: '',
      memo: '',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      status: 'PENDING',
      payment_url: expect.stringMatching(/^https?:\/\/.+\/pay\/[A-Za-z0-9_-]{20,64}$/),
    });
    expect(answer.expires_in).toBeLessThanOrEqual(ORDER_SECONDS);
    const page = await fetch(answer.payment_url);
    const text = await page.text();
    expect([
      page.status,
      page.headers.get('content-type'),
      text.includes(answer.address),
      text.includes('7.809054'),
    ]).toEqual([200, expect.stringMatching(/^text\/html/), true, true]);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    const other = await fetch(answer.payment_url.replace(/[^/]+$/, 'a'.repeat(43)));
    await other.body?.cancel();
    expect(other.status).toBe(404);
  }, 30_000);

  it('on Stellar has one account for all, and a number of its own', async () => {
    const [ghs, mwk] = [(await trips.of('in GHS')).answer, (await trips.of('in MWK')).answer];
    for (const one of [ghs, mwk])
      expect(one).toMatchObject({
        address: expect.stringMatching(/^M[A-Z2-7]{68}$/),
        memo_address: expect.stringMatching(/^G[A-Z2-7]{55}$/),
        memo: expect.stringMatching(/^[1-9]\d*$/),
      });
    expect([ghs.memo_address === mwk.memo_address, ghs.memo === mwk.memo]).toEqual([true, false]);
  });

  it('asked for again is the same, however many ask at once; with other parameters it is refused', async () => {
    const query = orders.query('again', { amount: '1000' });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        orders.ask({ ...query, ...(index % 2 === 0 && { amount: '1000.00', network: 'celo' }) }),
      ),
    );
    expect(new Set(answers.map((answer) => dataOf<{ address: string }>(answer).address)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true').length).toBeLessThanOrEqual(1);
    for (const change of [{ amount: 1001 }, { asset: 'USDT' }, { network: 'BNB' }, { currency_code: 'UGX' }])
      expectRefused(await orders.ask({ ...query, ...change }), 409, 'reference_reused');
    const theirs = dataOf<{ address: string }>(await orders.ask({ ...query, amount: 2000 }, fixture.two));
    expect(theirs.address).not.toBe(dataOf<{ address: string }>(answers[0] as Answer).address);
  }, 30_000);

  it.each(REFUSED)('%s is refused', async (name, change, status, code) => {
    expectRefused(await orders.ask(orders.query(name.replace(/\W/g, '-'), change)), status, code);
  });

  it('is refused on a chain that is not served, like a pay, a quote or an address', async () => {
    const { one } = fixture;
    expectRefused(await orders.ask(orders.query('not-served', { network: 'ETHEREUM' })), 503, 'service_unavailable');
    expect(
      expectRefused(
        await pays.ask(`0x${'ab'.repeat(32)}`, { chain: 'ETHEREUM', reference: 'pay-not-served' }),
        503,
        'service_unavailable',
      ),
    ).toMatch(/ETHEREUM is not served/);
    expect(await one.status('pay-not-served')).toBeNull();
    expectRefused(
      await one.send({ path: '/v1/quote/kes', body: { amount: 1000, chain: 'ETHEREUM', asset: 'USDC' } }),
      503,
      'service_unavailable',
    );
    expect(await one.settlementAddress('ETHEREUM')).toBe('');
  });

  it('is made only with the checkout key; its status is shown to both keys of its partner, and to nobody else', async () => {
    const { one, two } = fixture;
    const { id } = await trips.of('exact');
    const none = { 'x-api-key': '' };
    expectRefused(
      await one.orders.ask(orders.query('by-consumer'), { 'x-api-key': one.partner.consumer_key }),
      403,
      'forbidden',
    );
    expectRefused(await one.orders.ask(orders.query('by-nobody'), none), 401, 'unauthorized');
    expectRefused(
      await one.send({ path: '/account/detail', headers: { 'x-api-key': one.partner.checkout_key } }),
      403,
      'forbidden',
    );
    expect((await one.orders.status(id, one.partner.consumer_key))?.order_id).toBe(id);
    expect(await two.orders.status(id)).toBeNull();
    expectRefused(await two.send({ path: '/v1/checkout/status', body: { order_id: id } }), 404, 'not_found');
    expectRefused(await one.send({ path: '/v1/checkout/status', body: {} }), 400, 'invalid_request');
  });
});

describe('what comes to an order', () => {
  const onTime = NAMES.filter((name) => TABLE[name].end[0] === 'COMPLETE');

  it.each(onTime)(
    '%s: is COMPLETE before its time is over',
    async (name) => {
      const order = await trips.of(name);
      expect((await orders.stands(order, 'COMPLETE')).transaction_hash).toMatch(/\S/);
      await until(async () => (await order.client.orders.status(order.id))?.reason === TABLE[name].end[1], {
        withinMs: 20_000,
        what: 'its reason',
        everyMs: 200,
      });
      await fixture.receiver.waitFor(
        (all) => all.some(({ payload }) => payload.order_id === order.id && payload.status === 'COMPLETE'),
        { withinMs: 10_000, what: 'it is told' },
      );
      // Webhooks may arrive in another order (docs/partners/webhooks.md); the sequence counts.
      const told = fixture.receiver
        .ofOrder(order.id)
        .sort((a, b) => a.sequence - b.sequence)
        .map(({ event, sequence, partner, path }) => [event, sequence, partner, path]);
      const whole = [
        ['order.processing', 1, fixture.one.partner.id, '/orders-0'],
        ['order.complete', 2, fixture.one.partner.id, '/orders-0'],
      ];
      // "Seen" just before "final" is superseded.
      expect(told).toEqual(name === 'topped' ? whole : whole.slice(-told.length));
    },
    OVER_WITHIN_MS,
  );

  it(
    'is in the wallet, to the cent and once, as a row of its own, and pays a bank',
    async () => {
      const { one } = fixture;
      const order = await trips.of('in NGN');
      await orders.stands(order, 'COMPLETE');
      const row = await until(async () => (await orders.credits()).find(({ order_id: id }) => id === order.id), {
        withinMs: 10_000,
        what: 'it is credited',
        everyMs: 100,
      });
      expect(row).toMatchObject({
        status: 'COMPLETE',
        category: 'COLLECTION',
        type: 'CHECKOUT',
        amount: '25000.50',
        currency_code: 'NGN',
        chain: 'SOLANA',
        asset: 'USDT',
        is_released: true,
        transaction_hash: trips.hashes.get('in NGN'),
      });
      expect(await one.status(row.transaction_code)).toEqual(row);
      expect((await one.wallets()).get('NGN')).toBe((before.get('NGN') ?? 0n) + 2_500_050n);
      const { transaction_code: code } = dataOf<{ transaction_code: string }>(
        await one.bankTransfer('NGN', {
          amount: '25000.50',
          account_number: '1234567890',
          bank_code: '044',
          callback_url: fixture.receiver.url(),
        }),
      );
      await fixture.receiver.waitForFinal(code, 30_000);
      expect((await one.wallets()).get('NGN')).toBe(before.get('NGN'));
    },
    OVER_WITHIN_MS,
  );

  it(
    'pays for nothing else',
    async () => {
      await orders.stands(await trips.of('exact'), 'COMPLETE');
      const code = await pays.claim(trips.hashes.get('exact') ?? '');
      expect(await pays.ended(code, 'FAILED')).toMatchObject({ failure_code: 'no_matching_transfer' });
      expectRefused(
        await refunds.ask('CELO', trips.hashes.get('exact') ?? '', await refunds.newRecipient('CELO')),
        409,
        'hash_already_processed',
      );
    },
    OVER_WITHIN_MS,
  );
});

describe('what does not pay an order', () => {
  const misfits = NAMES.filter((name) => TABLE[name].end[0] === 'FAILED');

  it.each(misfits)(
    '%s: FAILED when its time is over, and not before',
    async (name) => {
      const [, reason] = TABLE[name].end;
      const order = await trips.of(name);
      if (Date.now() < Date.parse(order.answer.expires_at))
        expect((await order.client.orders.status(order.id))?.status).toMatch(/^P/);
      await orders.isTooLate(order);
      await trips.payLate(name, order);
      await orders.stands(order, 'FAILED');
      await until(async () => (await order.client.orders.status(order.id))?.reason === reason, {
        withinMs: 20_000,
        what: `it failed as ${reason}`,
        everyMs: 200,
      });
    },
    OVER_WITHIN_MS,
  );
});

const back = (name: Name): Track => ({
  [`${name}: what it has not used goes back on its chain, to the unit, and no more of it`]: () =>
    trips.goesBack(name, refunds, fixture.two),
});
const left = NAMES.filter((name) => name in LEFT);
const isOnArbitrum = (name: Name): boolean => LEFT[name]?.[0] === 'ARBITRUM';
const SIGHT: Track = IS_DRAWN
  ? {}
  : {
      'stays PROCESSING while what came in time is in sight, and is COMPLETE when that is final; what moved to another block counts once':
        () => slow.staysInSight(),
    };
const OUTAGE: Track = IS_DRAWN
  ? {}
  : { 'waits for a chain that cannot be read, and is judged by what it then tells': () => slow.waitsForItsChain() };

sideBySide(
  'an order whose time is over',
  [
    ...left.filter((name) => !isOnArbitrum(name)).map(back),
    Object.assign({}, SIGHT, ...left.filter(isOnArbitrum).map(back)) as Track,
    OUTAGE,
  ],
  2 * OVER_WITHIN_MS,
);

// Last, because it stops CELO, reorganises it, and others pay there.
describe('a chain that takes back what an order was credited for', () => {
  it(
    'does not change the order: its partner owes the value, and there is an incident',
    async () => {
      const { two } = fixture;
      const celo = fixture.chain('CELO');
      const had = (await two.wallets()).get('KES') ?? 0n;
      const order = await orders.open('vanishes', {}, two);
      await celo.stall(true);
      const hash = await orders.send(order, order.answer.asset_amount, { mine: false, from: await celo.newSender() });
      await celo.mine(ENOUGH_TO_PAY);
      await orders.stands(order, 'COMPLETE');
      await until(async () => (await two.wallets()).get('KES') === had + minorOf('1000', 'KES'), {
        withinMs: 10_000,
        what: 'it is credited',
        everyMs: 100,
      });
      const { incomingTransfers } = await readChainBook({
        chain: 'CELO',
        url: celo.url,
        addresses: [order.answer.address.toLowerCase()],
        hashes: [],
      });
      vanishedOrders.set(orderKey({ partner: two.partner.id, id: order.id }), incomingTransfers[0] as IncomingTransfer);
      await celo.reorg(ENOUGH_TO_PAY);
      expect(await celo.ask('eth_getTransactionReceipt', hash)).toBeNull();
      await celo.mine(PAST_FINALITY);
      await until(async () => (await two.wallets()).get('KES') === had, {
        withinMs: 60_000,
        what: 'it is taken back',
        everyMs: 250,
      });
      await celo.stall(false);
      expect((await two.orders.status(order.id))?.status).toBe('COMPLETE');
      expect((await admin<{ frozen: readonly { partner_id: number }[] }>(fixture.vuka, 'stuck')).frozen).toMatchObject([
        { partner_id: two.partner.id },
      ]);
    },
    2 * OVER_WITHIN_MS,
  );
});

describe('seen from outside', () => {
  it('each order was judged by its deposits, credited once and reported; nothing is lost, and the ledger agrees', async () => {
    const { orders: count } = await fixture.checker.expectSound({ everyWebhook: true, vanishedOrders });
    expect(count).toBe(NAMES.length + 3 + slow.inSight.size + slow.unseen.size);
    expect(await ledgerCheck(fixture.vuka)).toEqual({
      code: 0,
      output: expect.stringMatching(/The ledger is sound\./),
    });
  }, 240_000);
});
