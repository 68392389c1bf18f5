import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CHAINS, type EvmChain, type Sighting } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { BootError, createLogger } from '@vuka/runtime';

import type { BlockAt } from '../deposit-reader.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { accounts, coin, forger, payer, SpecChain } from './anvil.spec-support.js';
import { createEvmReader } from './evm-reader.js';

const CELO = CHAINS.find((chain): chain is EvmChain => chain.name === 'CELO' && chain.family === 'evm')!;
const USDC = CELO.tokens.find(({ symbol }) => symbol === 'USDC')!.address;
const [, payerAccount, spender, us, alsoUs] = accounts.map(({ address }) => address) as [
  string,
  string,
  string,
  string,
  string,
];
const [PAYER, SPENDER, STRANGER] = [1, 2, 5] as const;
const log = createLogger('test', { level: 'silent' });
/** Advances on each call, so that no answer comes from a cache. */
let asked = 0;
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };

let folder: string;
let node: LocalChain;
let chain: SpecChain;
let reader: ChainReader;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-chain-'));
  node = await startLocalChain({ folder: join(folder, 'anvil'), chainId: CELO.chainId, log });
  chain = await SpecChain.of(node, CELO.chainId);
  await chain.deploy('Coin', USDC);
  await chain.send(0, { to: USDC, data: coin.encodeFunctionData('mint', [payerAccount, 1_000_000n]) });
  reader = await createEvmReader({ chain: CELO, endpoints: [chain.url], agree: 1, log, clock });
}, 60_000);
afterEach(() => chain.flow());
afterAll(async () => {
  await reader.close();
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const read = (hash: string, address = us): Promise<Sighting> => reader.read(hash, address, Date.now() + 10_000);
const transfersIn = (sighting: Sighting): readonly { token: string; value: bigint; ordinal: number; from: string }[] =>
  sighting.kind === 'found' ? sighting.transfers : [];
const credited = (sighting: Sighting): bigint[] =>
  transfersIn(sighting)
    .filter(({ token }) => token === USDC)
    .map(({ value }) => value);
const transfer = (value: bigint, to = us): string => coin.encodeFunctionData('transfer', [to, value]);

describeWithAnvil(describe)('a real node', () => {
  it('tells of a plain transfer, and to whom', async () => {
    const hash = await chain.send(PAYER, { to: USDC, data: transfer(100n) });
    await chain.mine(3);
    const sighting = await read(hash);
    const receipt = await chain.receipt(hash);
    const number = Number(receipt['blockNumber']);
    expect(sighting).toMatchObject({
      kind: 'found',
      block: { number, hash: receipt['blockHash'] },
      heights: { latest: number + 3, safe: number + 2, finalized: number + 1 },
    });
    expect(transfersIn(sighting)).toEqual([{ token: USDC, from: payerAccount, value: 100n, ordinal: 0 }]);
    expect(transfersIn(await read(hash, alsoUs))).toEqual([]);
  });

  it('tells of one by a spender', async () => {
    await chain.send(PAYER, { to: USDC, data: coin.encodeFunctionData('approve', [spender, 70n]) });
    const hash = await chain.send(SPENDER, {
      to: USDC,
      data: coin.encodeFunctionData('transferFrom', [payerAccount, us, 70n]),
    });
    expect(transfersIn(await read(hash))).toMatchObject([{ from: payerAccount, value: 70n }]);
  });

  it.each([0, 1, 2])('tells of one in an envelope of type %i', async (type) => {
    const fees = type === 2 ? {} : { gasPrice: 100_000_000_000n, maxFeePerGas: null, maxPriorityFeePerGas: null };
    const hash = await chain.send(PAYER, { to: USDC, data: transfer(5n), type, ...fees });
    expect(credited(await read(hash))).toEqual([5n]);
  });

  it('tells of each of several by another contract, by the address each went to', async () => {
    const batch = await chain.deploy('Payer');
    await chain.send(PAYER, { to: USDC, data: transfer(100n, batch) });
    const hash = await chain.send(STRANGER, {
      to: batch,
      data: payer.encodeFunctionData('payAll', [USDC, [us, alsoUs, us], [30n, 50n, 20n]]),
    });
    expect(transfersIn(await read(hash))).toEqual([
      { token: USDC, from: batch, value: 30n, ordinal: 0 },
      { token: USDC, from: batch, value: 20n, ordinal: 2 },
    ]);
    expect(credited(await read(hash, alsoUs))).toEqual([50n]);
  });

  it('tells of a token of the same name by its own contract', async () => {
    const other = await chain.deploy('Coin');
    await chain.send(STRANGER, {
      to: other,
      data: coin.encodeFunctionData('mint', [accounts[STRANGER]!.address, 1_000n]),
    });
    const sighting = await read(await chain.send(STRANGER, { to: other, data: transfer(1_000n) }));
    expect(credited(sighting)).toEqual([]);
    expect(transfersIn(sighting)).toMatchObject([{ value: 1_000n }]);
    expect(transfersIn(sighting)[0]!.token.toLowerCase()).toBe(other.toLowerCase());
  });

  it('credits nothing by the perfect log of a foreign contract, and not even tells of odd ones', async () => {
    const liar = await chain.deploy('Forger');
    const forged = await read(
      await chain.send(STRANGER, { to: liar, data: forger.encodeFunctionData('forge', [payerAccount, us, 1_000n]) }),
    );
    expect(forged.kind).toBe('found');
    expect(credited(forged)).toEqual([]);
    expect(transfersIn(forged)).toHaveLength(1);
    const odd = await chain.send(STRANGER, {
      to: liar,
      data: forger.encodeFunctionData('forgeOddly', [payerAccount, us, 1_000n]),
    });
    expect((await chain.receipt(odd))['logs']).toHaveLength(4);
    expect(transfersIn(await read(odd))).toEqual([]);
  });

  it('tells of nothing where an inner call reverted and the transaction succeeded', async () => {
    const batch = await chain.deploy('Payer');
    await chain.send(PAYER, { to: USDC, data: transfer(100n, batch) });
    const hash = await chain.send(STRANGER, {
      to: batch,
      data: payer.encodeFunctionData('tryToPay', [USDC, us, 100n]),
    });
    expect(await read(hash)).toMatchObject({ kind: 'found', transfers: [] });
    expect((await chain.receipt(hash))['status']).toBe('0x1');
  });

  it('tells that a transaction reverted', async () => {
    const hash = await chain.send(STRANGER, { to: USDC, data: transfer(100n) });
    expect(await read(hash)).toMatchObject({
      kind: 'failed',
      block: { number: Number((await chain.receipt(hash))['blockNumber']) },
    });
  });

  it('tells of what arrives where an honest token takes a fee', async () => {
    await chain.send(0, { to: USDC, data: coin.encodeFunctionData('setFee', [1n, false]) });
    const hash = await chain.send(PAYER, { to: USDC, data: transfer(1_000n) });
    await chain.send(0, { to: USDC, data: coin.encodeFunctionData('setFee', [0n, false]) });
    expect((await chain.receipt(hash))['logs']).toHaveLength(2);
    expect(credited(await read(hash))).toEqual([990n]);
  });

  it('cannot tell that a token lies in its own log: who lists tokens has to know them', async () => {
    const liar = await chain.deploy('Coin');
    await chain.send(STRANGER, {
      to: liar,
      data: coin.encodeFunctionData('mint', [accounts[STRANGER]!.address, 1_000n]),
    });
    await chain.send(STRANGER, { to: liar, data: coin.encodeFunctionData('setFee', [1n, true]) });
    const sighting = await read(await chain.send(STRANGER, { to: liar, data: transfer(1_000n) }));
    expect(await chain.balance(liar, us)).toBe(990n);
    expect(transfersIn(sighting)).toMatchObject([{ value: 1_000n }]);
    expect(credited(sighting)).toEqual([]);
  });

  it('tells of no transfer of nothing, which any stranger makes in our name', async () => {
    const hash = await chain.send(STRANGER, { to: USDC, data: coin.encodeFunctionData('transferFrom', [us, us, 0n]) });
    expect((await chain.receipt(hash))['logs']).toHaveLength(1);
    expect(await read(hash)).toMatchObject({ kind: 'found', transfers: [] });
  });

  it('tells of the coin of the chain nothing', async () => {
    expect(await read(await chain.send(STRANGER, { to: us, value: 10n ** 18n }))).toMatchObject({
      kind: 'found',
      transfers: [],
    });
  });

  it('knows nothing of a transaction that waits, was dropped or replaced, or never was', async () => {
    await chain.pool();
    const dropped = await chain.send(PAYER, { to: USDC, data: transfer(10n) });
    expect(await read(dropped)).toEqual({ kind: 'not_found' });
    await chain.rpc('anvil_dropTransaction', [dropped]);
    await chain.mine(1);
    expect(await read(dropped)).toEqual({ kind: 'not_found' });
    const nonce = Number(await chain.rpc<string>('eth_getTransactionCount', [payerAccount, 'latest']));
    const replaced = await chain.send(PAYER, { to: USDC, data: transfer(10n), nonce });
    const replacing = await chain.send(PAYER, {
      to: USDC,
      data: transfer(11n),
      nonce,
      maxFeePerGas: 300_000_000_000n,
      maxPriorityFeePerGas: 5_000_000_000n,
    });
    await chain.mine(1);
    expect(await read(replaced)).toEqual({ kind: 'not_found' });
    expect(credited(await read(replacing))).toEqual([11n]);
    expect(await read(`0x${'00'.repeat(32)}`)).toEqual({ kind: 'not_found' });
  });

  it('knows nothing any more of one that a reorganisation left out', async () => {
    const hash = await chain.send(PAYER, { to: USDC, data: transfer(12n) });
    expect(credited(await read(hash))).toEqual([12n]);
    await chain.mine(1);
    await chain.reorg(3);
    expect(await read(hash)).toEqual({ kind: 'not_found' });
  });

  it('tells which block is at a height, and after a reorganisation that it is another one', async () => {
    const hash = await chain.send(PAYER, { to: USDC, data: transfer(12n) });
    await chain.mine(1);
    const before = await read(hash);
    if (before.kind !== 'found') throw new Error(before.kind);
    const { number } = before.block;
    const blockAt = (height: number): Promise<BlockAt> => reader.blockAt(height, Date.now() + 10_000);
    expect(await blockAt(number)).toEqual({ kind: 'block', hash: before.block.hash });
    expect(await blockAt(number + 1_000)).toEqual({
      kind: 'trouble',
      reason: expect.stringMatching(/1 no such block$/),
    });
    await chain.reorg(3);
    expect(await blockAt(number)).toEqual({ kind: 'block', hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
    expect(await blockAt(number)).not.toEqual({ kind: 'block', hash: before.block.hash });
    expect(await reader.readByAll(hash, us, Date.now() + 10_000)).toEqual({ kind: 'not_found' });
  });

  it('tells of one that a reorganisation moved by its new block', async () => {
    await chain.mine(3);
    const raw = await chain.sign(PAYER, { to: USDC, data: transfer(13n) });
    const hash = await chain.publish(raw);
    const before = await read(hash);
    await chain.mine(2);
    await chain.reorg(3, [[raw, 2]]);
    const after = await read(hash);
    expect(credited(after)).toEqual([13n]);
    if (before.kind !== 'found' || after.kind !== 'found') throw new Error('not found');
    expect(after.block.number).toBe(before.block.number + 2);
    expect(after.block.hash).not.toBe(before.block.hash);
    expect(after.transfers).toEqual(before.transfers);
  });

  it('may count a log anew in its block; its place in the transaction stays', async () => {
    await chain.pool();
    const first = await chain.sign(PAYER, { to: USDC, data: transfer(14n) });
    await chain.send(0, {
      to: USDC,
      data: coin.encodeFunctionData('mint', [accounts[STRANGER]!.address, 1n]),
      maxPriorityFeePerGas: 9_000_000_000n,
    });
    const hash = await chain.publish(first);
    await chain.mine(1);
    const indexOf = async (): Promise<number> =>
      Number(((await chain.receipt(hash))['logs'] as { logIndex: string }[])[0]!.logIndex);
    expect(await indexOf()).toBe(1);
    const before = await read(hash);
    await chain.reorg(1, [[first, 0]]);
    expect(await indexOf()).toBe(0);
    const after = await read(hash);
    expect(transfersIn(after)).toEqual([{ token: USDC, from: payerAccount, value: 14n, ordinal: 0 }]);
    expect(transfersIn(after)).toEqual(transfersIn(before));
  });

  it('says itself which chain it is', async () => {
    const polygon = CHAINS.find((one): one is EvmChain => one.name === 'POLYGON' && one.family === 'evm')!;
    await expect(createEvmReader({ chain: polygon, endpoints: [chain.url], agree: 1, log, clock })).rejects.toThrow(
      BootError,
    );
  });
});
