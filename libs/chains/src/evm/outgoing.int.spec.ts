import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chainNamed, type EvmChain } from '@vuka/domain';
import { describeWithAnvil, startLocalChain, type LocalChain } from '@vuka/local-servers';
import { createLogger, Metrics } from '@vuka/runtime';

import type { OutgoingTransfers, SignedTransfer, TransferFate, TransferOrder, UnsignedTransfer } from '../outgoing.js';
import { accounts, coin, SpecChain, tether } from './anvil.spec-support.js';
import { evmOutgoing } from './outgoing.js';
import { Proxy } from './proxy.spec-support.js';
import { EVM_TRANSFER_SIGNER as signer } from './transfer-signer.js';

const CHAIN = chainNamed('AVALANCHE') as EvmChain;
const [USDC, USDT] = ['USDC', 'USDT'].map(
  (symbol) => CHAIN.tokens.find((token) => token.symbol === symbol)!.address,
) as [string, string];
const [{ address: MINTER }, { address: WALLET, privateKey: KEY }, { address: RECIPIENT }] = accounts as unknown as [
  { address: string },
  { address: string; privateKey: string },
  { address: string },
];
const WALLET_ACCOUNT = 1;
const log = createLogger('test', { level: 'silent' });
let asked = 0;
/** Advances on each call, so that no answer comes from a cache. */
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };

let folder: string;
let node: LocalChain;
let chain: SpecChain;
let proxies: Proxy[];
let outgoing: OutgoingTransfers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-outgoing-'));
  node = await startLocalChain({ folder: join(folder, 'anvil'), chainId: CHAIN.chainId, log });
  chain = await SpecChain.of(node, CHAIN.chainId);
  await chain.deploy('Coin', USDC);
  await chain.deploy('Tether', USDT);
  await chain.send(0, { to: USDC, data: coin.encodeFunctionData('mint', [WALLET, 10n ** 12n]) });
  await chain.send(0, { to: USDT, data: tether.encodeFunctionData('mint', [WALLET, 10n ** 12n]) });
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(chain.url).start()));
  outgoing = await evmOutgoing({
    chain: CHAIN,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log,
    metrics: new Metrics('test'),
    clock,
  });
}, 60_000);
afterEach(async () => {
  for (const proxy of proxies) proxy.honest();
  await chain.flow();
});
afterAll(async () => {
  await outgoing.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const soon = (): number => Date.now() + 10_000;
const orderOf = (more: Partial<TransferOrder> = {}): TransferOrder => ({
  reference: 'refund-1',
  token: USDC,
  from: WALLET,
  to: RECIPIENT,
  amountMinor: 1_234_567n,
  reserved: { tokenMinor: 0n, feeMinor: 0n },
  ...more,
});
const place = async (): Promise<bigint> => {
  const next = await outgoing.nextPlace(WALLET, soon());
  if (next.kind !== 'place' || next.place === null) throw new Error(JSON.stringify(next));
  return next.place;
};
const prepared = async (more: Partial<TransferOrder> = {}, at?: bigint): Promise<UnsignedTransfer> => {
  const told = await outgoing.prepare(orderOf(more), at ?? (await place()), soon());
  if (told.kind !== 'ready') throw new Error(JSON.stringify(told, (_name, value: unknown) => String(value)));
  return told.transfer;
};
const signedOf = (unsigned: UnsignedTransfer, key = KEY): SignedTransfer => {
  const signed = signer.sign(unsigned, key);
  if (!signed.ok) throw new Error(signed.error);
  return signed.value;
};
const fate = (unsigned: UnsignedTransfer, { transactionId }: SignedTransfer): Promise<TransferFate> =>
  outgoing.fate(unsigned, transactionId, soon());
/** Final by the largest tier. */
const finalise = (): Promise<unknown> => chain.mine(100);

describeWithAnvil(describe)('a transfer out of a wallet on an EVM chain', () => {
  it.each([
    ['a token that returns a boolean', USDC],
    ['one that returns nothing', USDT],
  ])(
    'goes out and is final: %s',
    async (_what, token) => {
      const before = await chain.balance(token, RECIPIENT);
      const unsigned = await prepared({ token });
      expect(unsigned).toMatchObject({
        chain: 'AVALANCHE',
        from: WALLET,
        to: RECIPIENT,
        amountMinor: '1234567',
        expiresAt: null,
      });
      expect(JSON.parse(JSON.stringify(unsigned))).toEqual(unsigned);
      const signed = signedOf(unsigned);
      expect(signer.verify(unsigned, signed.raw)).toEqual({ ok: true, value: signed });
      expect(await fate(unsigned, signed)).toEqual({ kind: 'unknown' });
      expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
      expect(await fate(unsigned, signed)).toMatchObject({ kind: 'included' });
      await finalise();
      expect(await fate(unsigned, signed)).toMatchObject({ kind: 'final' });
      expect((await chain.balance(token, RECIPIENT)) - before).toBe(1_234_567n);
      // A repeat moves nothing.
      await outgoing.broadcast(signed, soon());
      expect((await chain.balance(token, RECIPIENT)) - before).toBe(1_234_567n);
      expect(await place()).toBe(BigInt(unsigned.place!) + 1n);
    },
    30_000,
  );

  it('says what it costs at most: its gas limit at the highest bid', async () => {
    const told = await outgoing.prepare(orderOf(), await place(), soon());
    if (told.kind !== 'ready') throw new Error(told.kind);
    const { terms } = told.transfer;
    expect(told.cost).toEqual({
      totalMinor: BigInt(terms['gas_limit']!) * BigInt(terms['max_fee_per_gas']!),
      rentMinor: 0n,
    });
    expect(told.cost.totalMinor).toBeGreaterThan(0n);
  }, 30_000);

  it('waits in the pool, is dropped, and goes out by the same bytes', async () => {
    await chain.pool();
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    expect(await fate(unsigned, signed)).toEqual({ kind: 'waiting' });
    await chain.rpc('anvil_dropAllTransactions');
    expect(await fate(unsigned, signed)).toEqual({ kind: 'unknown' });
    await outgoing.broadcast(signed, soon());
    await finalise();
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'final' });
  }, 30_000);

  it('is replaced under the same nonce by one with a higher fee, and one of the two is dead', async () => {
    await chain.pool();
    const before = await chain.balance(USDC, RECIPIENT);
    const first = await prepared();
    const firstSigned = signedOf(first);
    await outgoing.broadcast(firstSigned, soon());
    const second = await prepared({ replaces: first }, BigInt(first.place!));
    expect(second.place).toBe(first.place);
    expect(BigInt(second.terms['max_fee_per_gas']!)).toBeGreaterThan(
      (BigInt(first.terms['max_fee_per_gas']!) * 11n) / 10n,
    );
    const secondSigned = signedOf(second);
    expect(await outgoing.broadcast(secondSigned, soon())).toEqual({ kind: 'given' });
    expect(await fate(first, firstSigned)).toEqual({ kind: 'unknown' });
    await chain.mine(1);
    // Nonce used, but not final.
    expect((await fate(first, firstSigned)).kind).toBe('unknown');
    await finalise();
    expect(await fate(second, secondSigned)).toMatchObject({ kind: 'final' });
    expect(await fate(first, firstSigned)).toMatchObject({ kind: 'dead' });
    expect((await chain.balance(USDC, RECIPIENT)) - before).toBe(1_234_567n);
  }, 30_000);

  it('is dead where another transaction has its nonce; whether it is dead that was never imported only people can tell, since that may be it', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await chain.send(WALLET_ACCOUNT, { to: MINTER, value: 1n });
    expect(await outgoing.broadcast(signed, soon())).toMatchObject({ kind: 'refused' });
    await finalise();
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'dead' });
    expect(await outgoing.fate(unsigned, null, soon())).toEqual({
      kind: 'unclear',
      reason: expect.stringContaining('nonce'),
      found: null,
      alike: [],
    });
    expect(await outgoing.fate(await prepared(), null, soon())).toEqual({ kind: 'unknown' });
  }, 30_000);

  it('behind a gap waits for who fills it', async () => {
    const [one, other] = [await prepared(), await prepared({}, (await place()) + 1n)];
    await outgoing.broadcast(signedOf(other), soon());
    expect(await fate(other, signedOf(other))).toEqual({ kind: 'waiting' });
    await outgoing.broadcast(signedOf(one), soon());
    await finalise();
    for (const each of [one, other]) expect(await fate(each, signedOf(each))).toMatchObject({ kind: 'final' });
  }, 30_000);

  it('is refused beforehand where the token would not be moved there; reverts where that came too late; and counts as failed', async () => {
    const unsigned = await prepared({ token: USDT });
    await chain.send(0, { to: USDT, data: tether.encodeFunctionData('setBlackListed', [RECIPIENT, true]) });
    expect(await outgoing.prepare(orderOf({ token: USDT }), await place(), soon())).toMatchObject({ kind: 'refused' });
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'included' });
    await finalise();
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'failed' });
    await chain.send(0, { to: USDT, data: tether.encodeFunctionData('setBlackListed', [RECIPIENT, false]) });
  }, 30_000);

  it('counts as failed where the token did nothing and said so to nobody', async () => {
    await chain.send(0, { to: USDT, data: tether.encodeFunctionData('setIdle', [true]) });
    const unsigned = await prepared({ token: USDT });
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    await finalise();
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'failed' });
    await chain.send(0, { to: USDT, data: tether.encodeFunctionData('setIdle', [false]) });
  }, 30_000);

  it('is not prepared where the wallet is short, what others will take counted in', async () => {
    const has = await chain.balance(USDC, WALLET);
    expect(await outgoing.prepare(orderOf({ amountMinor: has + 1n }), await place(), soon())).toEqual({
      kind: 'short',
      of: 'token',
      needsMinor: has + 1n,
      hasMinor: has,
    });
    expect(
      await outgoing.prepare(orderOf({ reserved: { tokenMinor: has, feeMinor: 0n } }), await place(), soon()),
    ).toMatchObject({ kind: 'short', of: 'token' });
    expect(
      await outgoing.prepare(orderOf({ reserved: { tokenMinor: 0n, feeMinor: 10n ** 30n } }), await place(), soon()),
    ).toMatchObject({ kind: 'short', of: 'fee' });
  }, 30_000);

  it('is never signed with another key, and no other transaction is taken for it', async () => {
    const unsigned = await prepared();
    const other = accounts[3]!;
    expect(signer.sign(unsigned, other.privateKey)).toMatchObject({ ok: false });
    expect(
      signer.verify(
        unsigned,
        await chain.sign(3, { to: USDC, data: coin.encodeFunctionData('transfer', [RECIPIENT, 1_234_567n]) }),
      ),
    ).toMatchObject({ ok: false });
    for (const change of [
      { to: other.address },
      { amountMinor: '1234568' },
      { place: String(BigInt(unsigned.place!) + 1n) },
      { token: USDT },
      { decimals: 18 },
      { mostFeeMinor: '1' },
      { terms: { ...unsigned.terms, gas_limit: '1' } },
      { chain: 'CELO' },
      { chain: 'SOLANA' },
      { amountMinor: 'all' },
      { payload: '0x' },
    ]) {
      expect(signer.sign({ ...unsigned, ...change }, KEY)).toMatchObject({ ok: false });
      expect(signer.verify({ ...unsigned, ...change }, signedOf(unsigned).raw)).toMatchObject({ ok: false });
    }
    expect(signer.verify(unsigned, signedOf(await prepared({ amountMinor: 1n })).raw)).toMatchObject({ ok: false });
    expect(signer.verify(unsigned, unsigned.payload)).toMatchObject({ ok: false });
    for (const raw of ['', '0x', 'nothing', `${signedOf(unsigned).raw}00`])
      expect(signer.verify(unsigned, raw)).toMatchObject({ ok: false });
    expect(JSON.stringify(signer.sign({ ...unsigned, to: 'x' }, KEY))).not.toContain(KEY.slice(2));
  }, 30_000);

  it('is believed by what two of three endpoints say', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    await finalise();
    proxies[0]!.change = (method, result) =>
      method === 'eth_getTransactionReceipt' ? null : method === 'eth_getTransactionCount' ? '0xffff' : result;
    expect(await fate(unsigned, signed)).toMatchObject({ kind: 'final' });
    expect(await place()).toBe(BigInt(unsigned.place!) + 1n);
    proxies[1]!.change = (method, result) => (method === 'eth_getTransactionReceipt' ? null : result);
    // Two pruned endpoints are no proof.
    expect((await fate(unsigned, signed)).kind).not.toBe('failed');
    proxies[0]!.change = (method, result) => (method === 'eth_gasPrice' ? `0x${(10n ** 15n).toString(16)}` : result);
    proxies[1]!.honest();
    expect(BigInt((await prepared()).terms['max_fee_per_gas']!)).toBeLessThan(10n ** 12n);
  }, 30_000);

  it('is neither dead nor waiting where a single endpoint has it in a block, and others have forgotten it', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    await finalise();
    const forget = (method: string, result: unknown): unknown =>
      method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' ? null : result;
    for (const proxy of proxies.slice(1)) proxy.change = forget;
    expect(await fate(unsigned, signed)).toEqual({
      kind: 'trouble',
      reason: '2 of 3 endpoints must agree: 1 seen, 2 absent, 3 absent',
    });
    // Pruned receipt only.
    proxies[0]!.change = (method, result) => (method === 'eth_getTransactionReceipt' ? null : result);
    expect(await fate(unsigned, signed)).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('in a block'),
    });
  }, 30_000);

  it('knows nothing while too few are heard, and bids no more than its bound', async () => {
    const unsigned = await prepared();
    for (const proxy of proxies)
      proxy.change = (method, result) => (method === 'eth_gasPrice' ? `0x${(10n ** 15n).toString(16)}` : result);
    expect(await outgoing.prepare(orderOf(), await place(), soon())).toEqual({
      kind: 'trouble',
      reason: 'gas costs more than our limit',
    });
    for (const proxy of proxies.slice(1)) proxy.change = () => ({ garbage: true });
    expect((await fate(unsigned, signedOf(unsigned))).kind).toBe('trouble');
    expect((await outgoing.nextPlace(WALLET, soon())).kind).toBe('trouble');
    expect((await outgoing.prepare(orderOf(), 0n, soon())).kind).toBe('trouble');
  }, 30_000);
});
