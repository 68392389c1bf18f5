import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger, Metrics, systemClock } from '@vuka/runtime';

import type { ChainBalances, Holdings } from '../balances.js';
import { Proxy } from '../evm/proxy.spec-support.js';
import { endowRefundWallet } from '../sandbox/refund-keys.js';
import { SOLANA, startSolanaNode, type StartedNode } from '../sandbox/solana/solana-node.spec-support.js';
import { SANDBOX_WALLET_TOKENS } from '../sandbox/wallet-tokens.js';
import { scannedHeight } from '../scan-height.js';
import { solanaBalances } from './balances.js';
import { createSolanaReader } from './solana-reader.js';
import { newOwner } from './wallet.spec-support.js';

jest.setTimeout(30_000);

const log = createLogger('test', { level: 'silent' });
let folder: string;
let node: StartedNode;
let proxies: Proxy[];
let balances: ChainBalances;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-solana-balances-'));
  node = await startSolanaNode(folder);
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(node.url).start()));
  balances = solanaBalances({
    chain: SOLANA,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log,
    metrics: new Metrics('test'),
    clock: systemClock,
  });
});
afterEach(() => proxies.forEach((proxy) => proxy.honest()));
afterAll(async () => {
  await balances.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const sums = (owners: readonly string[]): Promise<Holdings> => balances.sums(owners, 0, Date.now() + 10_000);
async function usdcOf(...owners: string[]): Promise<bigint | undefined> {
  const told = await sums(owners);
  return told.kind === 'holdings' ? told.minor.get('USDC') : undefined;
}
const send = async (to: string, amount: string): Promise<void> => {
  const sent = await node.hands.transfer({ asset: 'USDC', amount, to });
  if (!sent.ok) throw new Error(sent.error);
};

describe('what owners hold on Solana', () => {
  it('is what is in their token accounts, those of more owners than nodes answer for at once', async () => {
    const [one, other] = [newOwner(), newOwner()];
    await send(one, '1.5');
    await send(other, '0.000001');
    const many = Array.from({ length: 70 }, newOwner);
    expect(await usdcOf(one, ...many, other)).toBe(1_500_001n);
    expect(await usdcOf()).toBe(0n);
    const told = await sums([one]);
    expect(told.kind === 'holdings' && told.from <= told.to && told.from > 0).toBe(true);
  });

  it('is what enough endpoints say, and trouble where they do not', async () => {
    const owner = newOwner();
    await send(owner, '2');
    const lie = (method: string, answer: unknown): unknown =>
      method === 'getMultipleAccounts'
        ? { ...(answer as object), value: (answer as { value: unknown[] }).value.map(() => null) }
        : answer;
    proxies[0]!.change = lie;
    expect(await usdcOf(owner)).toBe(2_000_000n);
    proxies[1]!.change = (method, answer) => (method === 'getMultipleAccounts' ? 'nothing' : answer);
    expect(await sums([owner])).toMatchObject({ kind: 'trouble' });
  });

  it('is what a sandbox gave a refund wallet, once, however often it starts', async () => {
    const wallet = newOwner();
    await endowRefundWallet(SOLANA, node.url, wallet);
    const given = SANDBOX_WALLET_TOKENS * 1_000_000n;
    expect(await usdcOf(wallet)).toBe(given);
    await node.hands.transfer({ asset: 'USDC', amount: '3', to: newOwner(), from: wallet });
    const left = await usdcOf(wallet);
    await endowRefundWallet(SOLANA, node.url, wallet);
    expect(await usdcOf(wallet)).toBe(left);
  });

  it('is comparable with the scan for incoming transfers, whose cursor names its slot', async () => {
    const reader = await createSolanaReader({
      chain: SOLANA,
      endpoints: [node.url],
      agree: 1,
      log,
      clock: systemClock,
    });
    const page = await reader.scan(null, () => Promise.resolve([newOwner()]), Date.now() + 10_000);
    const told = await sums([newOwner()]);
    const height = page.kind === 'page' ? scannedHeight('solana', page.next) : null;
    expect(height).toBeGreaterThan(0);
    expect(told.kind === 'holdings' && told.to >= (height ?? Infinity)).toBe(true);
    expect(scannedHeight('solana', JSON.stringify([7, null, null, false, [], [['o', 'm', 1, 2, null]]]))).toBeNull();
    await reader.close();
  });
});
