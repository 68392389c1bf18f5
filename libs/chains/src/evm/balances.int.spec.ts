import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it, describe } from '@jest/globals';
import { chainNamed, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';

import { MOST_BALANCE_ADDRESSES, type ChainBalances, type Holdings } from '../balances.js';
import { scannedHeight } from '../scan-height.js';
import { accounts, coin, SpecChain } from './anvil.spec-support.js';
import { evmBalances } from './balances.js';
import { createEvmReader } from './evm-reader.js';
import { Proxy } from './proxy.spec-support.js';

const CHAIN = chainNamed('AVALANCHE') as EvmChain;
const [USDC, USDT] = ['USDC', 'USDT'].map(
  (symbol) => CHAIN.tokens.find((token) => token.symbol === symbol)!.address,
) as [string, string];
const [{ address: ONE }, { address: OTHER }, { address: NOBODY }] = accounts as unknown as [
  { address: string },
  { address: string },
  { address: string },
];
const log = createLogger('test', { level: 'silent' });

let folder: string;
let node: LocalChain;
let chain: SpecChain;
let proxies: Proxy[];
let balances: ChainBalances;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-balances-'));
  node = await startLocalChain({ folder: join(folder, 'anvil'), chainId: CHAIN.chainId, log });
  chain = await SpecChain.of(node, CHAIN.chainId);
  for (const token of [USDC, USDT]) await chain.deploy('Coin', token);
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(chain.url).start()));
  balances = evmBalances({
    chain: CHAIN,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log,
    metrics: new Metrics('test'),
    clock: systemClock,
  });
}, 60_000);
afterEach(() => proxies.forEach((proxy) => proxy.honest()));
afterAll(async () => {
  await balances.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const height = async (): Promise<number> => Number(await chain.rpc<string>('eth_blockNumber'));
const sums = async (at: number, addresses = [ONE, OTHER, NOBODY]): Promise<Holdings> =>
  balances.sums(addresses, at, Date.now() + 10_000);
const mint = (to: string, amount: bigint, token = USDC): Promise<string> =>
  chain.send(0, { to: token, data: coin.encodeFunctionData('mint', [to, amount]) });

describeWithAnvil(describe)('what addresses hold on an EVM chain', () => {
  it('is told of one block, to the unit, whatever comes after', async () => {
    await mint(ONE, 5n);
    await mint(OTHER, 7n);
    const at = await height();
    await mint(ONE, 1n);
    await mint(OTHER, 2n, USDT);
    expect(await sums(at)).toEqual({
      kind: 'holdings',
      from: at,
      to: at,
      minor: new Map([
        ['USDC', 12n],
        ['USDT', 0n],
      ]),
    });
    expect(await sums(at + 2)).toMatchObject({
      minor: new Map([
        ['USDC', 13n],
        ['USDT', 2n],
      ]),
    });
    expect(await sums(at + 2, [])).toMatchObject({
      minor: new Map([
        ['USDC', 0n],
        ['USDT', 0n],
      ]),
    });
  }, 30_000);

  it('is what enough endpoints say, and trouble where they do not', async () => {
    const at = await height();
    const lie = { method: 'eth_call', answer: `0x${'f'.padStart(64, '0')}` };
    proxies[0]!.change = (method, answer) => (method === lie.method ? lie.answer : answer);
    const told = await sums(at);
    expect(told.kind).toBe('holdings');
    expect(told).not.toMatchObject({ minor: new Map([['USDC', 45n]]) });
    proxies[1]!.change = (method, answer) => (method === lie.method ? null : answer);
    expect(await sums(at)).toMatchObject({ kind: 'trouble' });
  }, 30_000);

  it('is trouble at a block that is not there, in no time, and of too many addresses', async () => {
    expect(await sums((await height()) + 1_000)).toMatchObject({ kind: 'trouble' });
    expect(await balances.sums([ONE], await height(), Date.now())).toEqual({
      kind: 'trouble',
      reason: 'no answer in time',
    });
    expect(
      await sums(
        await height(),
        Array.from({ length: MOST_BALANCE_ADDRESSES + 1 }, () => ONE),
      ),
    ).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('addresses') });
  }, 30_000);

  it('is comparable with the scan for incoming transfers, whose cursor names its block', async () => {
    const reader = await createEvmReader({
      chain: CHAIN,
      endpoints: [chain.url],
      agree: 1,
      log,
      metrics: new Metrics('test'),
      clock: systemClock,
    });
    const page = await reader.scan(null, () => Promise.resolve([ONE]), Date.now() + 10_000);
    expect(page.kind === 'page' && scannedHeight('evm', page.next)).toBe(await height());
    await reader.close();
  }, 30_000);
});
