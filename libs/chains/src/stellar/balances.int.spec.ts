import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';

import type { ChainBalances, Holdings } from '../balances.js';
import { endowRefundWallet } from '../sandbox/refund-keys.js';
import { keyOf, startStellarNode, STELLAR, type SpecNode } from '../sandbox/stellar/stellar-node.spec-support.js';
import { SANDBOX_WALLET_TOKENS } from '../sandbox/wallet-tokens.js';
import { scannedHeight } from '../scan-height.js';
import { stellarBalances } from './balances.js';
import { HorizonProxy, readerOf } from './stellar-fixture.spec-support.js';

const [ONE, OTHER, WALLET] = ['one', 'other', 'wallet'].map((name) => keyOf(name).publicKey()) as [
  string,
  string,
  string,
];
const UNIT = 10_000_000n;

let node: SpecNode;
let proxies: HorizonProxy[];
let balances: ChainBalances;
beforeAll(async () => {
  node = await startStellarNode();
  for (const account of [ONE, OTHER]) await node.hands.hold({ account, asset: 'USDC', amount: '0' });
  proxies = await Promise.all([1, 2, 3].map(() => new HorizonProxy(node.url).start()));
  balances = stellarBalances({
    chain: STELLAR,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log: createLogger('test', { level: 'silent' }),
    metrics: new Metrics('test'),
    clock: systemClock,
  });
});
afterEach(() => {
  for (const proxy of proxies) proxy.change = (_path, answer) => answer;
});
afterAll(async () => {
  await balances.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
});

const sums = (accounts: readonly string[]): Promise<Holdings> => balances.sums(accounts, 0, Date.now() + 10_000);
async function usdcOf(...accounts: string[]): Promise<bigint | undefined> {
  const told = await sums(accounts);
  return told.kind === 'holdings' ? told.minor.get('USDC') : undefined;
}
const send = async (to: string, amount: string, from?: string): Promise<void> => {
  const sent = await node.hands.send({
    payments: [{ asset: 'USDC', amount, to }],
    ...(from !== undefined && { from }),
  });
  if (!sent.ok) throw new Error(sent.error);
};

describe('what accounts hold on Stellar', () => {
  it('is what is on their trustlines, and nothing where there is no account', async () => {
    await send(ONE, '1.5');
    await send(OTHER, '0.0000001');
    expect(await usdcOf(ONE, OTHER, keyOf('nobody').publicKey())).toBe(15_000_001n);
    const told = await sums([ONE]);
    expect(told.kind === 'holdings' && told.from <= told.to && told.from > 0).toBe(true);
  });

  it('is what enough endpoints say, and trouble where they do not', async () => {
    const before = await usdcOf(ONE);
    const lie = (path: string, answer: { status: number; body: unknown }): { status: number; body: unknown } =>
      path.startsWith('/accounts/')
        ? { ...answer, body: JSON.parse(JSON.stringify(answer.body).replaceAll('"1.5', '"9.5')) as unknown }
        : answer;
    proxies[0]!.change = lie;
    expect(await usdcOf(ONE)).toBe(before);
    proxies[1]!.change = (path, answer) => (path.startsWith('/accounts/') ? { status: 200, body: {} } : answer);
    expect(await sums([ONE])).toMatchObject({ kind: 'trouble' });
  });

  it('is what a sandbox gave a refund wallet, once, however often it starts', async () => {
    await endowRefundWallet(STELLAR, node.url, WALLET);
    expect(await usdcOf(WALLET)).toBe(SANDBOX_WALLET_TOKENS * UNIT);
    await node.hands.hold({ account: WALLET, asset: 'USDC', amount: String(SANDBOX_WALLET_TOKENS - 3n) });
    await endowRefundWallet(STELLAR, node.url, WALLET);
    expect(await usdcOf(WALLET)).toBe((SANDBOX_WALLET_TOKENS - 3n) * UNIT);
  });

  it('is comparable with the scan for incoming transfers, whose cursor names its ledger', async () => {
    const { reader } = await readerOf([node.url], 1);
    const page = await reader.scan(null, () => Promise.resolve([ONE]), Date.now() + 10_000);
    const told = await sums([ONE]);
    const height = page.kind === 'page' ? scannedHeight('stellar', page.next) : null;
    expect(height).toBeGreaterThan(0);
    expect(told.kind === 'holdings' && told.to >= (height ?? Infinity)).toBe(true);
    // Ledger 8 is not complete.
    expect(scannedHeight('stellar', String((8n << 32n) + 4096n))).toBe(7);
    await reader.close();
  });
});
