import { once } from 'node:events';
import { existsSync, statSync, truncateSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identifyProcess } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { launchElsewhere, log } from '../local-servers.spec-support.js';
import { describeWithAnvil } from './anvil-for-tests.js';
import { askAnvil } from './anvil-rpc.js';
import { startLocalChain, type LocalChain } from './local-chain.js';

const CHAIN_ID = 42_220;
/** Emits LOG1 on each call. */
const EMITTER = { address: `0x${'22'.repeat(20)}`, code: '0x600160006000a100' };

interface Sent {
  readonly hash: string;
  readonly receipt: { readonly blockNumber: string; readonly blockHash: string };
}

async function ask<T>({ url }: Pick<LocalChain, 'url'>, method: string, ...params: unknown[]): Promise<T> {
  return (await askAnvil(url, [{ method, params }]))[0] as T;
}

async function send(chain: LocalChain): Promise<Sent> {
  await ask(chain, 'anvil_setCode', EMITTER.address, EMITTER.code);
  const [from] = await ask<string[]>(chain, 'eth_accounts');
  const hash = await ask<string>(chain, 'eth_sendTransaction', { from, to: EMITTER.address, gas: '0x186a0' });
  return {
    hash,
    receipt: await until(
      () => ask<Sent['receipt'] | null>(chain, 'eth_getTransactionReceipt', hash),
      within('a receipt'),
    ),
  };
}

async function expectKept(chain: LocalChain, { hash, receipt }: Sent): Promise<void> {
  expect(await ask(chain, 'eth_getTransactionReceipt', hash)).toMatchObject({
    ...receipt,
    logs: [{ address: EMITTER.address }],
  });
  expect(await ask(chain, 'eth_getBlockByNumber', receipt.blockNumber, false)).toMatchObject({
    hash: receipt.blockHash,
    transactions: [hash],
  });
  expect(await ask(chain, 'eth_getLogs', { fromBlock: receipt.blockNumber, address: EMITTER.address })).toHaveLength(1);
}

const within = (what: string): { withinMs: number; what: string } => ({ withinMs: 15_000, what });
const head = async (chain: LocalChain): Promise<number> => Number(await ask<string>(chain, 'eth_blockNumber'));

describeWithAnvil(describe)('an EVM chain of this machine', () => {
  let work: string;
  const started: LocalChain[] = [];

  const start = async (
    name: string,
    more: { port?: number; chainId?: number; idleAfterMs?: number } = {},
  ): Promise<LocalChain> => {
    const chain = await startLocalChain({ folder: join(work, name), chainId: CHAIN_ID, log, ...more });
    started.push(chain);
    return chain;
  };
  const savedSince = async (name: string, happened: number): Promise<void> => {
    const file = join(work, name, 'state.json.gz');
    await until(() => existsSync(file) && statSync(file).mtimeMs > happened, within('saved'));
  };

  const savedWith = async (name: string, { hash }: Sent): Promise<void> => {
    const file = join(work, name, 'state.json.gz');
    await until(async () => gunzipSync(await readFile(file)).includes(hash), within('saved'));
  };

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-chain-'));
  });
  afterAll(async () => {
    await Promise.all(started.map((chain) => chain.stop()));
    await rm(work, { recursive: true, force: true });
  }, 60_000);

  it('keeps blocks, receipts and logs over a stop, and its port; finality goes on from there', async () => {
    const first = await start('kept');
    const sent = await send(first);
    await ask(first, 'anvil_mine', '0x32');
    const height = await head(first);
    await first.stop();
    const second = await start('kept');
    expect(second.port).toBe(first.port);
    expect(await head(second)).toBeGreaterThanOrEqual(height);
    await expectKept(second, sent);
    expect(await ask(second, 'eth_getBlockByNumber', 'finalized', false)).toMatchObject({
      number: expect.stringMatching(/^0x/),
    });
    await expectKept(second, await send(second));
    await second.stop();
  }, 60_000);

  it('keeps over a kill what was there a second before', async () => {
    const first = await start('killed');
    const sent = await send(first);
    await savedWith('killed', sent);
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    await first.stop();
    const second = await start('killed');
    await expectKept(second, sent);
    await second.stop();
  }, 60_000);

  it('takes the state saved before where anvil was killed while it wrote its last one', async () => {
    const first = await start('torn');
    const sent = await send(first);
    await savedWith('torn', sent);
    await first.stop();
    const exit = join(work, 'torn', 'exit.json');
    truncateSync(exit, statSync(exit).size - 100);
    const second = await start('torn');
    await expectKept(second, sent);
    await second.stop();
  }, 60_000);

  it('ends the node that a killed run left behind, and loses nothing of it', async () => {
    const folder = join(work, 'orphaned');
    const { launcher, serverPid } = await launchElsewhere(work, 'startLocalChain', folder);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    const { port } = JSON.parse(await readFile(join(folder, 'server.json'), 'utf8')) as { port: number };
    const sent = await send({ url: `http://127.0.0.1:${port}` } as LocalChain);
    const next = await start('orphaned');
    expect(identifyProcess(serverPid)).toBeUndefined();
    await expectKept(next, sent);
    await next.stop();
  }, 60_000);

  it('ends with the process that started it', async () => {
    const folder = join(work, 'owned');
    const { launcher, serverPid } = await launchElsewhere(work, 'startLocalChain', folder);
    launcher.stdin?.end();
    await once(launcher, 'exit');
    await until(() => identifyProcess(serverPid) === undefined, within('the end of the node'));
  }, 60_000);

  it('makes a block every second, none ahead of the clock however many are made, and slowly where nothing happens', async () => {
    const chain = await start('paced', { idleAfterMs: 1_500 });
    await ask(chain, 'anvil_mine', '0x1f4');
    const block = await ask<{ timestamp: string; number: string }>(chain, 'eth_getBlockByNumber', 'latest', false);
    expect(Number(block.number)).toBeGreaterThanOrEqual(500);
    expect(Number(block.timestamp) * 1000).toBeLessThanOrEqual(Date.now());
    await until(async () => (await ask(chain, 'anvil_getIntervalMining')) === 10, within('slow'));
    await send(chain);
    expect(await ask(chain, 'anvil_getIntervalMining')).toBe(1);
    await chain.stop();
  }, 60_000);

  it('leaves a chain stalled that was stalled', async () => {
    const chain = await start('stalled');
    await ask(chain, 'evm_setIntervalMining', 0);
    await savedSince('stalled', 0);
    const height = await head(chain);
    const happened = Date.now();
    await ask(chain, 'anvil_mine', '0x12c');
    await savedSince('stalled', happened);
    expect(await head(chain)).toBe(height + 300);
    expect(await ask(chain, 'anvil_getIntervalMining')).toBeNull();
    await chain.stop();
  }, 60_000);

  it('runs two at once, one at a time in a folder, and not at a port that is taken', async () => {
    const [one, other] = await Promise.all([start('one'), start('other', { chainId: 8453 })]);
    expect(Number(await ask(other, 'eth_chainId'))).toBe(8453);
    await expect(startLocalChain({ folder: join(work, 'one'), chainId: CHAIN_ID, log })).rejects.toThrow(
      `is in use by process ${process.pid}`,
    );
    await expect(start('third', { port: one.port })).rejects.toThrow(`port ${one.port} is taken`);
    await Promise.all([one.stop(), other.stop()]);
  }, 60_000);
});
