import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  atDepth,
  dataOf,
  desk,
  drawn,
  ledgerCheck,
  minorOf,
  orderKey,
  readChainBook,
  sandboxCommand,
  SCENE_WITHIN_MS,
  SCREENED_SENDER,
  testProfile,
  until,
  type Answer,
  type Arrival,
  type OrderQuery,
  type StatusRow,
} from '@vuka/testing';

import { Orders, type Asked } from './orders.spec-support.js';
import { openPayScene, type PayScene } from './pay-scene.spec-support.js';
import { expectRefused, Pays } from './pays.spec-support.js';
import { Refunds } from './refunds.spec-support.js';
import { sideBySide, type Lane } from './side-by-side.spec-support.js';

/** An order's time here, and then half a minute in which a block is still on time: all that wait for it wait together. */
const ORDER_SECONDS = 10;
const OVER_WITHIN_MS = 60_000;
/** `finalized` is 16 blocks below the head: what CELO pays 12 blocks deep may still vanish. */
const EPOCH = 8;
const ENOUGH_TO_PAY = 13;
const PAST_FINALITY = 60;

interface Row {
  readonly what: string;
  readonly order?: Partial<OrderQuery>;
  /** What its payer does while it has time. */
  readonly pays?: (order: Asked) => Promise<unknown>;
  /** And what when it has none. */
  readonly paysLate?: (order: Asked) => Promise<unknown>;
  readonly end: readonly [status: string, reason: string];
}

/** The judgement as it is written down (reference/chains.md section 6), and every currency somewhere. */
const TABLE = {
  exact: { what: 'what is due', pays: (order) => orders.send(order), end: ['COMPLETE', ''] },
  tolerated: {
    what: 'a hundredth of a token less',
    pays: (order) => orders.send(order, '7.799054'),
    end: ['COMPLETE', ''],
  },
  topped: { what: 'too little, and then the rest', pays: topUp, end: ['COMPLETE', ''] },
  over: { what: 'more than is due', pays: (order) => orders.send(order, '9'), end: ['COMPLETE', 'overpaid'] },
  twice: { what: 'what is due, twice', pays: sendTwice, end: ['COMPLETE', 'overpaid'] },
  under: {
    what: 'a unit less than is tolerated',
    pays: (order) => orders.send(order, '7.799053'),
    end: ['FAILED', 'underpaid'],
  },
  late: { what: 'what is due, too late', paysLate: (order) => orders.send(order), end: ['FAILED', 'late'] },
  asset: {
    what: 'another token',
    pays: (order) => orders.send(order, '8', { asset: 'USDT' }),
    end: ['FAILED', 'wrong_asset'],
  },
  network: {
    what: 'what is due, on another chain',
    pays: (order) => orders.send(order, '8', { chain: 'ARBITRUM' }),
    end: ['FAILED', 'wrong_network'],
  },
  lookalike: {
    what: 'a token that only looks like one',
    pays: (order) => orders.send(order, '8', { asset: 'USDM' }),
    end: ['FAILED', 'expired'],
  },
  screened: {
    what: 'money of somebody on the list',
    pays: (order) => orders.send(order, '8', { from: SCREENED_SENDER }),
    end: ['FAILED', 'expired'],
  },
  never: { what: 'nothing', end: ['FAILED', 'expired'] },
  'in UGX': {
    what: 'a token of 18 decimals',
    order: { asset: 'CUSD', currency_code: 'UGX', amount: 20_000 },
    pays: (order) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in NGN': {
    what: 'USDT on Solana',
    order: { network: 'solana', asset: 'USDT', currency_code: 'ngn', amount: '25000.50' },
    pays: (order) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in GHS': {
    what: 'a muxed address on Stellar',
    order: { network: 'STELLAR', currency_code: 'GHS', amount: '120.5' },
    pays: (order) => orders.send(order),
    end: ['COMPLETE', ''],
  },
  'in MWK': {
    what: 'an account and a memo on Stellar',
    order: { network: 'STELLAR', currency_code: 'MWK', amount: 20_000 },
    pays: sendByMemo,
    end: ['COMPLETE', ''],
  },
  'in CDF': {
    what: 'USDT, typed by hand',
    order: { asset: 'USDT', currency_code: 'CDF', amount: 25_000 },
    pays: sendByHand,
    end: ['COMPLETE', ''],
  },
  'in ETB': {
    what: 'USDT of 18 decimals on another chain',
    order: { network: 'BSC', asset: 'USDT', currency_code: 'ETB', amount: '1500.25' },
    pays: (order) => orders.send(order),
    end: ['COMPLETE', ''],
  },
} as const satisfies Readonly<Record<string, Row>>;
type Name = keyof typeof TABLE;
const ALL = Object.keys(TABLE) as Name[];
/** In minor units: all that was too little, too late or something else, and what was over. */
const LEFT: Readonly<Partial<Record<Name, readonly [chain: string, value: bigint]>>> = {
  under: ['CELO', 7_799_053n],
  late: ['CELO', 7_809_054n],
  asset: ['CELO', 8_000_000n],
  network: ['ARBITRUM', 8_000_000n],
  over: ['CELO', 1_190_946n],
  twice: ['CELO', 5_000_000n],
};

/**
 * What a transfer comes to, and what a chain may do, is judged by one service, and the same wherever it runs: of that the second profile draws. Each way
 * through all services is there: of what is paid, of what is not, of what goes back, and of what a chain takes back.
 */
const IS_DRAWN = testProfile() === 'distributed' && atDepth({ commit: true, whole: false });
const NAMES = IS_DRAWN ? playedApart() : ALL;

function playedApart(): readonly Name[] {
  const namedBelow: readonly Name[] = ['exact', 'in NGN', 'in GHS', 'in MWK', 'never'];
  const ofEnd = (end: string, names: readonly string[]): readonly Name[] =>
    ALL.filter((name) => names.includes(name) && TABLE[name].end[0] === end && !namedBelow.includes(name));
  const left = ['COMPLETE', 'FAILED'].flatMap((end) =>
    drawn(`checkout: left of ${end}`, ofEnd(end, Object.keys(LEFT)), 1),
  );
  const others = ['COMPLETE', 'FAILED'].flatMap((end) => drawn(`checkout: ${end}`, ofEnd(end, ALL), 1));
  return ALL.filter((name) => [...namedBelow, ...left, ...others].includes(name));
}

let scene: PayScene;
let orders: Orders;
let pays: Pays;
let refunds: Refunds;
let before: Map<string, bigint>;
/** What was credited, and is not on its chain any more. */
const vanishedOrders = new Map<string, Arrival>();
const asked = new Map<string, Promise<Asked>>();
const hashes = new Map<string, string>();

beforeAll(async () => {
  scene = await openPayScene({
    chains: ['CELO', 'BNB', 'ARBITRUM', 'SOLANA', 'STELLAR'],
    env: { CHECKOUT_ORDER_SECONDS: String(ORDER_SECONDS), VUKA_TEST_CHAIN_EPOCH: String(EPOCH) },
  });
  [orders, pays, refunds] = [new Orders(scene), new Pays(scene), new Refunds(scene)];
  before = await scene.one.wallets();
  for (const [index, client] of scene.clients.entries())
    await client.orders.tellAt(scene.receiver.url(`/orders-${index}`));
  for (const name of NAMES) begin(name);
  if (IS_DRAWN) return;
  begin('sight', sight);
  begin('outage', outage);
}, SCENE_WITHIN_MS);

afterAll(() => scene.end(), 60_000);

/** All of them are under way at once; whoever asks for one is told what came of it. */
function begin(name: string, played: (name: string) => Promise<Asked> = play): void {
  const trip = played(name);
  trip.catch(() => undefined);
  asked.set(name, trip);
}

async function play(name: string): Promise<Asked> {
  const row: Row = TABLE[name as Name];
  const order = await orders.open(name.replace(/\W/g, '-'), row.order);
  const hash = await row.pays?.(order);
  if (typeof hash === 'string') hashes.set(name, hash);
  return order;
}

const orderOf = (name: string): Promise<Asked> =>
  asked.get(name) ?? Promise.reject(new Error(`nobody asked for ${name}`));

async function topUp(order: Asked): Promise<string> {
  await orders.send(order, '3');
  await orders.stands(order, 'PROCESSING');
  return orders.send(order, '4.809054');
}

async function sendTwice(order: Asked): Promise<string> {
  await orders.send(order);
  await orders.stands(order, 'COMPLETE');
  return orders.send(order, '5');
}

function sendByMemo(order: Asked): Promise<string> {
  const { memo_address: to, memo } = order.answer;
  return orders.send(order, order.answer.asset_amount, { to, memo });
}

async function sendByHand({ answer: { address, asset, asset_amount: amount } }: Asked): Promise<string> {
  return (
    (
      await sandboxCommand(
        scene.vuka,
        'transfer',
        '--chain',
        'CELO',
        '--asset',
        asset,
        '--amount',
        amount,
        '--to',
        address,
      )
    ).at(-1) ?? ''
  );
}

const arbitrum = async (name: string): Promise<Asked> => orders.open(name, { network: 'ARB' });
/** What stays in sight on a chain that takes four minutes to be final. */
const inSight = new Map<string, Asked>();
/** One that is seen and not final when its time is over, one that is taken into another block meanwhile, and one that shows that the chain has been looked through. */
async function sight(): Promise<Asked> {
  const driver = scene.chain('ARBITRUM');
  const [slow, moved, idle] = await Promise.all([arbitrum('slow'), arbitrum('moved'), arbitrum('idle')]);
  // Blocks on top of it would make the slow one final.
  await until(() => hashes.has('network'), { withinMs: 30_000, what: 'the transfer on the wrong chain' });
  const from = await driver.newSender();
  await orders.send(slow, slow.answer.asset_amount, { mine: false });
  await driver.stall(true);
  const hash = await orders.send(moved, moved.answer.asset_amount, { mine: false, from });
  await driver.mine(1);
  await Promise.all([slow, moved].map((order) => orders.stands(order, 'PROCESSING')));
  const raw = (await driver.ask('eth_getTransactionByHash', hash)) as Readonly<Record<string, string>>;
  const { nonce, gas, to, input: data, maxFeePerGas, maxPriorityFeePerGas } = raw;
  await driver.reorg(1);
  expect(await driver.ask('eth_getTransactionReceipt', hash)).toBeNull();
  await driver.mine(2);
  expect(
    await driver.sendTransaction({
      from,
      to: to ?? '',
      data: data ?? '',
      nonce: nonce ?? '',
      gas: gas ?? '',
      maxFeePerGas: maxFeePerGas ?? '',
      maxPriorityFeePerGas: maxPriorityFeePerGas ?? '',
    }),
  ).toBe(hash);
  await driver.mine(1);
  await driver.stall(false);
  for (const [name, order] of Object.entries({ slow, moved, idle })) inSight.set(name, order);
  return slow;
}

const unseen = new Map<string, Asked>();
/** The chain's node is silent from the moment that one was paid until all time is over. */
async function outage(): Promise<Asked> {
  const driver = scene.chain('BNB');
  const [paid, idle] = await Promise.all(
    ['away', 'away-idle'].map((name) => orders.open(name, { network: 'BNB', asset: 'USDC' })),
  );
  if (paid === undefined || idle === undefined) throw new Error('no order');
  // The chain is to stand still for others too: theirs first.
  await orders.stands(await orderOf('in ETB'), 'COMPLETE');
  await driver.stall(true);
  await orders.send(paid, paid.answer.asset_amount, { mine: false });
  await driver.mine(1);
  process.kill(nodeOf('BNB'), 'SIGSTOP');
  unseen.set('paid', paid);
  unseen.set('idle', idle);
  return paid;
}

function nodeOf(chain: string): number {
  return (
    JSON.parse(readFileSync(join(scene.vuka.dataDir, 'chains', chain.toLowerCase(), 'server.json'), 'utf8')) as {
      pid: number;
    }
  ).pid;
}

const credits = async (client = scene.one): Promise<StatusRow[]> =>
  (await client.listed<StatusRow>('/v1/transactions')).filter(({ type }) => type === 'CHECKOUT');

describe('an order', () => {
  it('is answered with all that a payer needs, and a page of its own', async () => {
    const { answer, id } = await orderOf('exact');
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
    const [ghs, mwk] = [(await orderOf('in GHS')).answer, (await orderOf('in MWK')).answer];
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
    // Another partner's names are its own.
    const theirs = dataOf<{ address: string }>(await orders.ask({ ...query, amount: 2000 }, scene.two));
    expect(theirs.address).not.toBe(dataOf<{ address: string }>(answers[0] as Answer).address);
  }, 30_000);

  it.each<[string, Partial<OrderQuery>, number, string]>([
    ['on a network nobody knows', { network: 'DOGE' }, 400, 'unsupported_network'],
    ['by a token that does not count there', { asset: 'PYUSD' }, 400, 'unsupported_network'],
    ['in a currency nobody knows', { currency_code: 'EUR' }, 400, 'unsupported_currency'],
    ['for too little', { amount: 19 }, 400, 'amount_out_of_range'],
    ['for too much', { amount: 250_001 }, 400, 'amount_out_of_range'],
    ['for no amount', { amount: '' }, 400, 'invalid_request'],
    ['under no name', { order_id: '' }, 400, 'invalid_request'],
    ['under a name that is none', { order_id: 'a b' }, 400, 'invalid_request'],
  ])('%s is refused', async (name, change, status, code) => {
    expectRefused(await orders.ask(orders.query(name.replace(/\W/g, '-'), change)), status, code);
  });

  it('is no more to be had than a pay, a quote or an address on a chain that is not served', async () => {
    const { one } = scene;
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

  it("is made by the checkout key alone; its status is told to both of its partner's keys, and to nobody else", async () => {
    const { one, two } = scene;
    const { id } = await orderOf('exact');
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
      const order = await orderOf(name);
      expect((await orders.stands(order, 'COMPLETE')).transaction_hash).toMatch(/\S/);
      await until(async () => (await order.client.orders.status(order.id))?.reason === TABLE[name].end[1], {
        withinMs: 20_000,
        what: 'its reason',
        everyMs: 200,
      });
      await scene.receiver.waitFor(
        (all) => all.some(({ payload }) => payload.order_id === order.id && payload.status === 'COMPLETE'),
        { withinMs: 10_000, what: 'it is told' },
      );
      // Webhooks may overtake each other (docs/webhooks.md): the sequence is the order.
      const told = scene.receiver
        .ofOrder(order.id)
        .sort((a, b) => a.sequence - b.sequence)
        .map(({ event, sequence, partner, path }) => [event, sequence, partner, path]);
      const whole = [
        ['order.processing', 1, scene.one.partner.id, '/orders-0'],
        ['order.complete', 2, scene.one.partner.id, '/orders-0'],
      ];
      // What was seen a moment before it was final is overtaken.
      expect(told).toEqual(name === 'topped' ? whole : whole.slice(-told.length));
    },
    OVER_WITHIN_MS,
  );

  it(
    'is in the wallet, to the cent and once, as a row of its own, and pays a bank',
    async () => {
      const { one } = scene;
      const order = await orderOf('in NGN');
      await orders.stands(order, 'COMPLETE');
      const row = await until(async () => (await credits()).find(({ order_id: id }) => id === order.id), {
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
        transaction_hash: hashes.get('in NGN'),
      });
      expect(await one.status(row.transaction_code)).toEqual(row);
      expect((await one.wallets()).get('NGN')).toBe((before.get('NGN') ?? 0n) + 2_500_050n);
      const { transaction_code: code } = dataOf<{ transaction_code: string }>(
        await one.bankTransfer('NGN', {
          amount: '25000.50',
          account_number: '1234567890',
          bank_code: '044',
          callback_url: scene.receiver.url(),
        }),
      );
      await scene.receiver.waitForFinal(code, 30_000);
      expect((await one.wallets()).get('NGN')).toBe(before.get('NGN'));
    },
    OVER_WITHIN_MS,
  );

  it(
    'pays for nothing else',
    async () => {
      await orders.stands(await orderOf('exact'), 'COMPLETE');
      const code = await pays.claim(hashes.get('exact') ?? '');
      expect(await pays.ended(code, 'FAILED')).toMatchObject({ failure_code: 'no_matching_transfer' });
      expectRefused(
        await refunds.ask('CELO', hashes.get('exact') ?? '', await refunds.newRecipient('CELO')),
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
      const {
        paysLate,
        end: [, reason],
      }: Row = TABLE[name];
      const order = await orderOf(name);
      if (Date.now() < Date.parse(order.answer.expires_at))
        expect((await order.client.orders.status(order.id))?.status).toMatch(/^P/);
      await orders.isTooLate(order);
      const hash = await paysLate?.(order);
      if (typeof hash === 'string') hashes.set(name, hash);
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

/** What an order has not used goes back on its chain, to the unit, and no more of it. */
async function goesBack(name: Name): Promise<void> {
  const [chain, value] = LEFT[name] ?? ['', 0n];
  await orders.stands(await orderOf(name), TABLE[name].end[0]);
  const to = await refunds.newRecipient(chain);
  const hash = hashes.get(name) ?? '';
  const refund = await until(
    async () => {
      const answer = await refunds.ask(chain, hash, to);
      return answer.status === 200 && dataOf<{ amount: string; asset: string }>(answer);
    },
    { withinMs: 20_000, what: 'it may go back', everyMs: 250 },
  );
  expect(BigInt(refund.amount.replace('.', ''))).toBe(value);
  await refunds.stands('COMPLETE', chain, hash, to);
  expectRefused(await refunds.ask(chain, hash, to, scene.two), 404, 'not_found');
}

const back = (name: Name): Lane => ({
  [`${name}: what it has not used goes back on its chain, to the unit, and no more of it`]: () => goesBack(name),
});
const left = NAMES.filter((name) => name in LEFT);
const isOnArbitrum = (name: Name): boolean => LEFT[name]?.[0] === 'ARBITRUM';
const SIGHT: Lane = IS_DRAWN
  ? {}
  : {
      'stays PROCESSING while what came in time is in sight, and is COMPLETE when that is final; what moved to another block counts once':
        staysInSight,
    };
const OUTAGE: Lane = IS_DRAWN
  ? {}
  : { 'waits for a chain that cannot be read, and is judged by what it then tells': waitsForItsChain };

sideBySide(
  'an order whose time is over',
  [
    ...left.filter((name) => !isOnArbitrum(name)).map(back),
    // What goes back there makes blocks, and those would make final what is to be in sight.
    Object.assign({}, SIGHT, ...left.filter(isOnArbitrum).map(back)) as Lane,
    OUTAGE,
  ],
  2 * OVER_WITHIN_MS,
);

async function staysInSight(): Promise<void> {
  await orderOf('sight');
  const [slow, moved, idle] = ['slow', 'moved', 'idle'].map((name) => inSight.get(name) as Asked) as [
    Asked,
    Asked,
    Asked,
  ];
  // Its chain has been looked through.
  await orders.stands(idle, 'FAILED');
  for (const order of [slow, moved]) expect((await order.client.orders.status(order.id))?.status).toBe('PROCESSING');
  await scene.chain('ARBITRUM').mineToFinality();
  for (const order of [slow, moved]) expect((await orders.stands(order, 'COMPLETE')).reason).toBe('');
  const credited = async (): Promise<readonly number[]> => {
    const own = await credits();
    return [slow, moved].map(({ id }) => own.filter(({ order_id: of }) => of === id).length);
  };
  await until(async () => !(await credited()).includes(0), {
    withinMs: 10_000,
    what: 'both are credited',
    everyMs: 200,
  });
  expect(await credited()).toEqual([1, 1]);
}

async function waitsForItsChain(): Promise<void> {
  await orderOf('outage');
  const [paid, idle] = ['paid', 'idle'].map((name) => unseen.get(name) as Asked) as [Asked, Asked];
  try {
    await Promise.all([paid, idle].map((order) => orders.isTooLate(order)));
    await orders.stands(await orderOf('never'), 'FAILED');
    for (const order of [paid, idle])
      expect((await order.client.orders.status(order.id))?.status).toMatch(/^(PENDING|PROCESSING)$/);
  } finally {
    process.kill(nodeOf('BNB'), 'SIGCONT');
  }
  await scene.chain('BNB').stall(false);
  await scene.chain('BNB').mineToFinality();
  await scene.chain('BNB').mine(PAST_FINALITY);
  expect((await orders.stands(paid, 'COMPLETE')).reason).toBe('');
  expect((await orders.stands(idle, 'FAILED')).reason).toBe('expired');
}

// Last: it stops CELO and takes its blocks back, and others pay there.
describe('a chain that takes back what an order was credited for', () => {
  it(
    'leaves the order as it is: its partner owes it, and people look',
    async () => {
      const { two } = scene;
      const celo = scene.chain('CELO');
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
      const { arrivals } = await readChainBook({
        chain: 'CELO',
        url: celo.url,
        addresses: [order.answer.address.toLowerCase()],
        hashes: [],
      });
      vanishedOrders.set(orderKey({ partner: two.partner.id, id: order.id }), arrivals[0] as Arrival);
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
      expect((await desk<{ frozen: readonly { partner_id: number }[] }>(scene.vuka, 'stuck')).frozen).toMatchObject([
        { partner_id: two.partner.id },
      ]);
    },
    2 * OVER_WITHIN_MS,
  );
});

describe('seen from outside', () => {
  it('each order was judged by what came to its address, credited once and told; nothing is lost, and the ledger agrees', async () => {
    const { orders: count } = await scene.checker.expectSound({ everyWebhook: true, vanishedOrders });
    // Besides the table: one that two partners asked for again, one that vanished, and those of a chain in sight and of a silent one.
    expect(count).toBe(NAMES.length + 3 + inSight.size + unseen.size);
    expect(await ledgerCheck(scene.vuka)).toEqual({ code: 0, output: expect.stringMatching(/The ledger is sound\./) });
  }, 240_000);
});
