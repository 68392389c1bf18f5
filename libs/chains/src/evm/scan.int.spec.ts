import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chainNamed, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import type { IncomingTransfer, Scan, ScanCursor } from '../deposit-reader.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { accounts, coin, payer as batchOf, SpecChain } from './anvil.spec-support.js';
import { createEvmReader } from './evm-reader.js';
import { hang, refuseWith, status, when, type Json } from './fake-rpc.spec-support.js';
import { Proxy } from './proxy.spec-support.js';

const BASE = chainNamed('BASE') as EvmChain;
const USDC = BASE.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
const LOOKALIKE = BASE.lookalikes[0]!.address;
const [, payer, , us, alsoUs, stranger] = accounts.map(({ address }) => address) as [
  string,
  string,
  string,
  string,
  string,
  string,
];
const PAYER = 1;
const OURS = [us, alsoUs.toLowerCase()];
const log = createLogger('test', { level: 'silent' });
/** Advances on each call, so that no answer comes from a cache. */
let asked = 0;
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };

let folder: string;
let node: LocalChain;
let chain: SpecChain;
let proxies: Proxy[];
let reader: ChainReader;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-chain-'));
  node = await startLocalChain({ folder: join(folder, 'anvil'), chainId: BASE.chainId, log });
  chain = await SpecChain.of(node, BASE.chainId);
  for (const token of [USDC, LOOKALIKE]) {
    await chain.deploy('Coin', token);
    await chain.send(0, { to: token, data: coin.encodeFunctionData('mint', [payer, 1_000_000n]) });
  }
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(chain.url).start()));
  reader = await createEvmReader({ chain: BASE, endpoints: proxies.map(({ url }) => url), agree: 2, log, clock });
}, 60_000);
afterEach(async () => {
  for (const proxy of proxies) proxy.honest();
  await chain.flow();
});
afterAll(async () => {
  await reader.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const transfer = (value: bigint, to = us): string => coin.encodeFunctionData('transfer', [to, value]);
const pay = (value: bigint, to = us, token = USDC): Promise<string> =>
  chain.send(PAYER, { to: token, data: transfer(value, to) });
const scan = (cursor: ScanCursor | null, addresses: readonly string[] = OURS): Promise<Scan> =>
  reader.scan(cursor, async () => addresses, Date.now() + 20_000);

type Page = Extract<Scan, { kind: 'page' }>;
async function page(cursor: ScanCursor | null, addresses?: readonly string[]): Promise<Page> {
  const found = await scan(cursor, addresses);
  if (found.kind !== 'page') throw new Error(JSON.stringify(found));
  return found;
}
const here = async (): Promise<ScanCursor> => (await page(null)).next;
const valuesOf = (incomingTransfers: readonly IncomingTransfer[]): bigint[] =>
  incomingTransfers.map(({ value }) => value).sort();

describeWithAnvil(describe)('a page of incoming transfers', () => {
  it('has what came of listed tokens and of what is taken for them, as a look at each transaction tells it', async () => {
    const cursor = await here();
    const batch = await chain.deploy('Payer');
    await pay(100n, batch);
    const hashes = [
      await pay(30n),
      await pay(40n, alsoUs),
      await pay(5n, us, LOOKALIKE),
      await chain.send(5, {
        to: batch,
        data: batchOf.encodeFunctionData('payAll', [USDC, [us, stranger, alsoUs], [7n, 8n, 9n]]),
      }),
    ];
    const fake = await chain.deploy('Coin');
    await chain.send(0, { to: fake, data: coin.encodeFunctionData('mint', [payer, 50n]) });
    await pay(50n, us, fake);
    await pay(0n);
    const found = await page(cursor);
    const told = found.incomingTransfers.map(({ transactionId, address, token, value, ordinal }) => [
      transactionId,
      address,
      token,
      value,
      ordinal,
    ]);
    expect(told).toEqual([
      [hashes[0], us, USDC, 30n, 0],
      [hashes[1], OURS[1], USDC, 40n, 0],
      [hashes[2], us, LOOKALIKE, 5n, 0],
      [hashes[3], us, USDC, 7n, 0],
      [hashes[3], OURS[1], USDC, 9n, 0],
    ]);
    expect(found.isAtHead).toBe(true);
    for (const { transactionId, address, block, token, from, value } of found.incomingTransfers) {
      expect(await reader.read(transactionId, address, Date.now() + 10_000)).toMatchObject({
        kind: 'found',
        block,
        transfers: [{ token, from, value }],
      });
    }
    expect(await page(found.next)).toMatchObject({ incomingTransfers: [], isAtHead: true });
  });

  it('begins now where nothing was looked through yet, and tells what comes later once', async () => {
    await pay(1n);
    let cursor = await here();
    expect((await page(cursor)).incomingTransfers).toEqual([]);
    await pay(2n);
    const second = await page(cursor);
    cursor = second.next;
    await pay(3n);
    expect([second, await page(cursor)].map(({ incomingTransfers }) => valuesOf(incomingTransfers))).toEqual([
      [2n],
      [3n],
    ]);
  });

  it('ends after 500 blocks, and the next one goes on from there', async () => {
    const cursor = await here();
    await pay(11n);
    await chain.mine(600);
    await pay(12n);
    const first = await page(cursor);
    expect(first).toMatchObject({ isAtHead: false, incomingTransfers: [{ value: 11n }] });
    expect(await page(first.next)).toMatchObject({ isAtHead: true, incomingTransfers: [{ value: 12n }] });
  });

  it('misses nothing that comes to an address that is given while it is read', async () => {
    const [later, cursor] = [`0x${'7a'.repeat(20)}`, await here()];
    await pay(15n);
    const given = async (): Promise<readonly string[]> => {
      const before = [us];
      await pay(16n, later);
      return before;
    };
    const first = await reader.scan(cursor, given, Date.now() + 20_000);
    expect(first).toMatchObject({ kind: 'page', incomingTransfers: [{ value: 15n }] });
    expect((await page((first as Page).next, [us, later])).incomingTransfers).toMatchObject([
      { value: 16n, address: later },
    ]);
  });

  it('misses it neither where the blocks that were read are replaced by others that have it', async () => {
    const later = `0x${'7b'.repeat(20)}`;
    await chain.mine(5);
    const cursor = await here();
    await chain.mine(1);
    const raw = await chain.sign(PAYER, { to: USDC, data: transfer(18n, later) });
    const first = await reader.scan(cursor, async () => (await chain.reorg(1, [[raw, 0]]), [us]), Date.now() + 20_000);
    // The page's end has changed; a page read earlier would go back next time.
    expect(first).toMatchObject({ kind: 'trouble' });
    const found = await page(cursor, [us, later]);
    expect(found.incomingTransfers.filter(({ address }) => address === later)).toMatchObject([{ value: 18n }]);
    const { timeMs } = found.incomingTransfers.at(-1)!.block;
    expect(found.scannedTo).toBeGreaterThanOrEqual(timeMs);
  });

  it('takes more addresses than one filter holds', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '5')}`);
    const cursor = await here();
    await pay(21n, many[0]);
    await pay(22n, many[700]);
    await pay(23n, many[1_099]);
    expect(valuesOf((await page(cursor, many)).incomingTransfers)).toEqual([21n, 22n, 23n]);
  });

  it.each([
    ['refuses', refuseWith(-32_005)],
    ['refuses in other words', refuseWith(-32_602)],
    ['answers 413', status(413)],
  ])(
    'grows smaller where an endpoint %s so many blocks',
    async (_what, refuse) => {
      const cursor = await here();
      await pay(31n);
      await chain.mine(200);
      await pay(32n);
      const tooMany = when('eth_getLogs', (request, response) => {
        const [{ fromBlock, toBlock }] = request.params as [{ fromBlock: string; toBlock: string }];
        return Number(toBlock) - Number(fromBlock) >= 100 && refuse(request, response);
      });
      for (const proxy of proxies) proxy.misbehave = tooMany;
      const first = await page(cursor);
      expect(first).toMatchObject({ isAtHead: false, incomingTransfers: [{ value: 31n }] });
      let rest = await page(first.next);
      while (!rest.isAtHead) rest = await page(rest.next);
      expect(rest.incomingTransfers).toMatchObject([{ value: 32n }]);
    },
    20_000,
  );

  it('is trouble where not even one block can be had', async () => {
    const cursor = await here();
    await pay(33n);
    for (const proxy of proxies) proxy.misbehave = when('eth_getLogs', refuseWith(-32_000));
    expect(await scan(cursor)).toMatchObject({ kind: 'trouble' });
    for (const proxy of proxies) proxy.honest();
    expect(valuesOf((await page(cursor)).incomingTransfers)).toEqual([33n]);
  }, 20_000);
});

describeWithAnvil(describe)('of three endpoints', () => {
  const logs =
    (change: (logs: Json[]) => Json[]) =>
    (method: string, result: unknown): unknown =>
      method === 'eth_getLogs' ? change(result as Json[]) : result;

  it.each([
    ['leaves an incoming transfer out', (proxy: Proxy) => (proxy.change = logs(() => []))],
    [
      'invents one',
      (proxy: Proxy) =>
        (proxy.change = logs((found) => [...found, { ...found[0], transactionHash: `0x${'5a'.repeat(32)}` }])),
    ],
    [
      'tells of blocks nobody asked about',
      (proxy: Proxy) => (proxy.change = logs((found) => found.map((one) => ({ ...one, blockNumber: '0x1' })))),
    ],
    [
      'is ahead of all',
      (proxy: Proxy) =>
        (proxy.change = (method, result, params) =>
          method === 'eth_getBlockByNumber' && params[0] === 'latest'
            ? { ...(result as Json), number: '0xffffff' }
            : result),
    ],
    ['fails', (proxy: Proxy) => (proxy.misbehave = status(500))],
    ['hangs', (proxy: Proxy) => (proxy.misbehave = when('eth_getLogs', hang))],
  ])('one that %s changes nothing', async (_what, hurt) => {
    const cursor = await here();
    await pay(51n);
    hurt(proxies[0]!);
    expect(await page(cursor)).toMatchObject({ incomingTransfers: [{ value: 51n }], isAtHead: true });
  });

  it('two that differ are trouble, and nothing is passed over by it', async () => {
    const cursor = await here();
    await pay(52n);
    proxies[0]!.change = logs(() => []);
    proxies[1]!.misbehave = status(500);
    expect(await scan(cursor)).toMatchObject({ kind: 'trouble' });
    proxies[0]!.honest();
    expect(valuesOf((await page(cursor)).incomingTransfers)).toEqual([52n]);
  });

  it('what one alone has reached is not looked at yet', async () => {
    const cursor = await here();
    const number = Number(await chain.rpc<string>('eth_blockNumber'));
    // Two stay behind first: the reader also asks by itself, so a page could use their earlier answers.
    for (const proxy of proxies.slice(0, 2)) {
      proxy.change = (method, result, params) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest'
          ? { ...(result as Json), number: `0x${number.toString(16)}` }
          : result;
    }
    await pay(53n);
    expect(await page(cursor)).toMatchObject({ incomingTransfers: [], isAtHead: true });
    for (const proxy of proxies) proxy.honest();
    const found = await until(
      async () => (({ incomingTransfers }) => incomingTransfers.length > 0 && incomingTransfers)(await page(cursor)),
      {
        withinMs: 10_000,
        what: 'a second one has reached it',
      },
    );
    expect(valuesOf(found)).toEqual([53n]);
  });
});

describeWithAnvil(describe)('a chain that goes back', () => {
  it('is looked through again from what was final, and never from below it', async () => {
    await chain.mine(5);
    const start = await here();
    await pay(61n);
    const raw = await chain.sign(PAYER, { to: USDC, data: transfer(62n) });
    await chain.publish(raw);
    const before = await page(start);
    const finalWas = Number(before.next.split(' ')[2]);
    expect(valuesOf(before.incomingTransfers)).toEqual([61n, 62n]);
    await chain.reorg(2, [[raw, 1]]);
    await chain.mine(2);
    const back = await scan(before.next);
    if (back.kind !== 'reorganised') throw new Error(JSON.stringify(back));
    expect(back.aboveBlock).toBe(finalWas);
    expect(Number(back.back.split(' ')[0])).toBe(finalWas);
    const again = await page(back.back);
    expect(again.isAtHead).toBe(true);
    expect(again.next).not.toBe(before.next);
    for (const { block } of again.incomingTransfers) expect(block.number).toBeGreaterThan(finalWas);
  });

  it('is the same chain where blocks are only added', async () => {
    const cursor = await here();
    await chain.mine(3);
    expect(await page(cursor)).toMatchObject({ kind: 'page', incomingTransfers: [] });
  });
});

describeWithAnvil(describe)('a cursor of another kind', () => {
  it.each(['', '12', `1 0x${'0'.repeat(64)}`, 'x y z'])('is a bug of the caller: %j', async (cursor) => {
    await expect(scan(cursor)).rejects.toThrow(TypeError);
  });
});
