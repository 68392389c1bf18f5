import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chainNamed, type EvmChain, type Sighting } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import type { ChainReader } from '../reader/chain-reader.js';
import { accounts, coin, SpecChain } from './anvil.spec-support.js';
import { createEvmReader } from './evm-reader.js';
import { hang, status, type Json } from './fake-rpc.spec-support.js';
import { Proxy } from './proxy.spec-support.js';

const BASE = chainNamed('BASE') as EvmChain;
const USDC = BASE.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
const [, payer, , us] = accounts.map(({ address }) => address) as [string, string, string, string];
const PAYER = 1;
const log = createLogger('test', { level: 'silent' });
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
  await chain.deploy('Coin', USDC);
  await chain.send(0, { to: USDC, data: coin.encodeFunctionData('mint', [payer, 1_000_000n]) });
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(chain.url).start()));
  reader = await createEvmReader({ chain: BASE, endpoints: proxies.map(({ url }) => url), agree: 2, log, clock });
}, 60_000);
afterEach(() => {
  for (const proxy of proxies) proxy.honest();
});
afterAll(async () => {
  await reader.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const pay = (value: bigint): Promise<string> =>
  chain.send(PAYER, { to: USDC, data: coin.encodeFunctionData('transfer', [us, value]) });
const read = (hash: string): Promise<Sighting> => reader.read(hash, us, Date.now() + 10_000);
const changed =
  (change: (receipt: Json) => Json) =>
  (method: string, result: unknown): unknown =>
    method === 'eth_getTransactionReceipt' && result !== null ? change(result as Json) : result;
const withAmount = (value: bigint) =>
  changed((receipt) => ({
    ...receipt,
    logs: (receipt['logs'] as Json[]).map((entry) => ({ ...entry, data: `0x${value.toString(16).padStart(64, '0')}` })),
  }));
const heightOf =
  (tag: string, plus: number) =>
  (method: string, result: unknown, params: readonly unknown[]): unknown =>
    method === 'eth_getBlockByNumber' && params[0] === tag
      ? { ...(result as Json), number: `0x${(Number((result as Json)['number']) + plus).toString(16)}` }
      : result;

describeWithAnvil(describe)('three ways to a real node, of which two must agree', () => {
  it.each([
    ['raises the amount', (proxy: Proxy) => (proxy.change = withAmount(999_000_000n))],
    [
      'says that it reverted',
      (proxy: Proxy) => (proxy.change = changed((receipt) => ({ ...receipt, status: '0x0', logs: [] }))),
    ],
    [
      'does not say whether it reverted',
      (proxy: Proxy) => (proxy.change = changed(({ status: _status, ...receipt }) => receipt)),
    ],
    [
      'knows nothing yet',
      (proxy: Proxy) => (proxy.change = (method, result) => (method === 'eth_getTransactionReceipt' ? null : result)),
    ],
    ['fails', (proxy: Proxy) => (proxy.misbehave = status(500))],
    ['has had enough', (proxy: Proxy) => (proxy.misbehave = status(429))],
    ['hangs', (proxy: Proxy) => (proxy.misbehave = hang)],
  ])('tell the truth where one %s', async (_what, hurt) => {
    const hash = await pay(100n);
    hurt(proxies[0]!);
    expect(await read(hash)).toMatchObject({
      kind: 'found',
      transfers: [{ token: USDC, from: payer, value: 100n, ordinal: 0 }],
    });
  });

  it('tell nothing where two do, and the truth once one of them is back', async () => {
    const hash = await pay(100n);
    proxies[0]!.change = withAmount(1_000_000n);
    proxies[1]!.change = withAmount(2_000_000n);
    expect(await read(hash)).toMatchObject({ kind: 'trouble' });
    proxies[1]!.honest();
    expect(await read(hash)).toMatchObject({ kind: 'found', transfers: [{ value: 100n }] });
  });

  it('take nothing for final that one alone calls so', async () => {
    const hash = await pay(100n);
    const number = Number((await chain.receipt(hash))['blockNumber']);
    for (const tag of ['safe', 'finalized', 'latest']) {
      proxies[2]!.change = heightOf(tag, 1_000_000);
      const sighting = await read(hash);
      if (sighting.kind !== 'found') throw new Error(sighting.kind);
      expect(sighting.heights.latest).toBe(number);
      expect(sighting.heights.safe).toBe(number - 1);
      expect(sighting.heights.finalized).toBe(number - 2);
    }
  });

  it('see a receipt that one invents for a transaction that never was as none', async () => {
    const hash = await pay(100n);
    const receipt = await chain.receipt(hash);
    const never = `0x${'5a'.repeat(32)}`;
    const invented = {
      ...receipt,
      transactionHash: never,
      logs: (receipt['logs'] as Json[]).map((entry) => ({ ...entry, transactionHash: never })),
    };
    proxies[0]!.change = (method, result, params) =>
      method === 'eth_getTransactionReceipt' && params[0] === never ? invented : result;
    expect(await read(never)).toEqual({ kind: 'not_found' });
  });

  it('are two while the third serves another chain, and three when it is back', async () => {
    const hash = await pay(100n);
    proxies[0]!.change = (method, result) => (method === 'eth_chainId' ? '0x1' : result);
    await until(async () => (await reader.watch(), reader.health().endpoints[0]?.state === 'wrong_chain'), {
      withinMs: 5_000,
      what: 'the endpoint to be dropped',
    });
    expect(await read(hash)).toMatchObject({ kind: 'found' });
    proxies[1]!.misbehave = status(500);
    expect(await read(hash)).toMatchObject({ kind: 'trouble' });
    proxies[0]!.honest();
    await reader.watch();
    expect(await read(hash)).toMatchObject({ kind: 'found' });
  });
});
