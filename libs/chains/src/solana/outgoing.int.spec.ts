import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Keypair } from '@solana/web3.js';
import { createLogger, Metrics } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { hang, status } from '../evm/fake-rpc.spec-support.js';
import { Proxy } from '../evm/proxy.spec-support.js';
import type {
  OutgoingTransfers,
  SignedTransfer,
  TransferCost,
  TransferFate,
  TransferOrder,
  UnsignedTransfer,
} from '../outgoing.js';
import { SOLANA, startSolanaNode, USDC, type StartedNode } from '../sandbox/solana/solana-node.spec-support.js';
import { holdingOf, tokenAccount } from '../sandbox/solana/token-accounts.js';
import { encodeBase58 } from './base58.js';
import { solanaOutgoing } from './outgoing.js';
import { TOKEN_PROGRAM, tokenAccountOf } from './token-programs.js';
import { SOLANA_TRANSFER_SIGNER as signer } from './transfer-signer.js';
import { newOwner } from './wallet.spec-support.js';

jest.setTimeout(30_000);

const log = createLogger('test', { level: 'silent' });
const wallet = Keypair.generate();
const WALLET = wallet.publicKey.toBase58();
const KEY = encodeBase58(wallet.secretKey);
let asked = 0;
/** Advances on each call, so that no answer comes from a cache. */
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };

let folder: string;
let node: StartedNode;
let proxies: Proxy[];
let outgoing: OutgoingTransfers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-solana-outgoing-'));
  node = await startSolanaNode(folder);
  await node.hands.endow(WALLET);
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(node.url).start()));
  outgoing = await solanaOutgoing({
    chain: SOLANA,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log,
    metrics: new Metrics('test'),
    clock,
  });
}, 30_000);
afterEach(async () => {
  for (const proxy of proxies) proxy.honest();
  await node.hands.stall(false);
  await node.hands.stallFinality(false);
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
  token: USDC.address,
  from: WALLET,
  to: newOwner(),
  amountMinor: 1_234_567n,
  reserved: { tokenMinor: 0n, feeMinor: 0n },
  ...more,
});
/** Failed endpoints rest first. */
const prepared = async (more: Partial<TransferOrder> = {}): Promise<UnsignedTransfer> =>
  until(
    async () => {
      const told = await outgoing.prepare(orderOf(more), null, soon());
      return told.kind === 'ready' ? told.transfer : undefined;
    },
    { withinMs: 5_000, what: 'a transfer' },
  );
const signedOf = (unsigned: UnsignedTransfer): SignedTransfer => {
  const signed = signer.sign(unsigned, KEY);
  if (!signed.ok) throw new Error(signed.error);
  return signed.value;
};
const fate = (unsigned: UnsignedTransfer, transactionId: string | null): Promise<TransferFate> =>
  outgoing.fate(unsigned, transactionId, soon());
const held = async (owner: string, mint = USDC.address): Promise<bigint> => {
  const { value } = await node.ask<{ value: { owner: string; data: [string] } | null }>(
    'getAccountInfo',
    tokenAccountOf(owner, mint, TOKEN_PROGRAM),
    { encoding: 'base64' },
  );
  return value === null ? 0n : (holdingOf({ lamports: '1', owner: value.owner, data: value.data[0] })?.amount ?? 0n);
};
/** Expires all earlier blockhashes, finally. */
const outlive = (): Promise<unknown> => node.hands.mine(400);

describe('a transfer out of a wallet on Solana', () => {
  it('goes out and is final, to who has no account yet', async () => {
    const to = newOwner();
    expect(await outgoing.nextPlace(WALLET, soon())).toEqual({ kind: 'place', place: null });
    const unsigned = await prepared({ to });
    expect(unsigned).toMatchObject({
      chain: 'SOLANA',
      from: WALLET,
      to,
      amountMinor: '1234567',
      symbol: 'USDC',
      decimals: 6,
      place: null,
    });
    expect(JSON.parse(JSON.stringify(unsigned))).toEqual(unsigned);
    const signed = signedOf(unsigned);
    expect(signer.verify(unsigned, signed.raw)).toEqual({ ok: true, value: signed });
    expect(await fate(unsigned, signed.transactionId)).toEqual({ kind: 'unknown' });
    const before = (await node.ask<{ value: number }>('getBalance', WALLET)).value;
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'included' });
    await node.hands.mine(40);
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({
      kind: 'final',
      block: { number: expect.any(Number), hash: expect.any(String) },
    });
    expect(await held(to)).toBe(1_234_567n);
    expect(before - (await node.ask<{ value: number }>('getBalance', WALLET)).value).toBeLessThanOrEqual(
      Number(unsigned.mostFeeMinor),
    );
    // A repeat moves nothing, even after expiry.
    await outgoing.broadcast(signed, soon());
    await outlive();
    expect(await held(to)).toBe(1_234_567n);
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'final' });
  });

  it('is dead when its blockhash is too old by what is final, by a good measure, and not before', async () => {
    const unsigned = await prepared();
    const { transactionId } = signedOf(unsigned);
    await node.hands.mine(240);
    expect(await node.ask<number>('getBlockHeight', { commitment: 'finalized' })).toBeGreaterThan(
      Number(unsigned.terms['last_height']),
    );
    for (const id of [transactionId, null]) expect(await fate(unsigned, id)).toEqual({ kind: 'unknown' });
    await node.hands.stallFinality(true);
    await outlive();
    expect(await outgoing.broadcast(signedOf(unsigned), soon())).toMatchObject({ kind: 'refused' });
    for (const id of [transactionId, null]) expect(await fate(unsigned, id)).toEqual({ kind: 'unknown' });
    await node.hands.stallFinality(false);
    for (const id of [transactionId, null]) expect(await fate(unsigned, id)).toMatchObject({ kind: 'dead' });
    expect(await fate(await prepared(), null)).toEqual({ kind: 'unknown' });
  });

  it('costs the rent of an account that has to be made, and its fee alone where the recipient has one', async () => {
    const to = newOwner();
    const costOfNext = async (): Promise<TransferCost> => {
      const told = await outgoing.prepare(orderOf({ to }), null, soon());
      if (told.kind !== 'ready') throw new Error(told.kind);
      return told.cost;
    };
    const rent = BigInt(await node.ask<number>('getMinimumBalanceForRentExemption', 197));
    expect(await costOfNext()).toEqual({ totalMinor: rent + 12_500n, rentMinor: rent });
    await node.hands.ask('sandbox_give', { owner: to, mint: USDC.address, amountMinor: '1' });
    expect(await costOfNext()).toEqual({ totalMinor: 12_500n, rentMinor: 0n });
  });

  it("that nobody handed in is dead only after the wallet's own signatures were looked through: it is found there where somebody sent it", async () => {
    const [unsigned, sent] = [await prepared(), await prepared()];
    const signed = signedOf(sent);
    await outgoing.broadcast(signed, soon());
    await outlive();
    expect(await fate(sent, null)).toEqual({
      kind: 'unclear',
      reason: expect.stringContaining('its signature was never imported'),
      found: signed.transactionId,
      alike: [],
    });
    expect(await fate(unsigned, null)).toMatchObject({
      kind: 'dead',
      reason: expect.stringContaining('not among the transfers of the wallet'),
    });
    // One that has it outweighs those that hide it.
    for (const proxy of proxies.slice(1))
      proxy.change = (method, result) => (method === 'getSignaturesForAddress' ? [] : result);
    expect(await fate(sent, null)).toMatchObject({ kind: 'unclear', found: signed.transactionId });
  });

  it('that nobody handed in is not dead where the wallet has moved the same to the same recipient since, by another transaction', async () => {
    const to = newOwner();
    const exported = await prepared({ to });
    await node.hands.mine(3);
    const again = signedOf(await prepared({ to }));
    await outgoing.broadcast(again, soon());
    await outgoing.broadcast(signedOf(await prepared({ to, amountMinor: 1n })), soon());
    await outlive();
    expect(await fate(exported, null)).toEqual({
      kind: 'unclear',
      reason: expect.stringContaining('the same'),
      found: null,
      alike: [again.transactionId],
    });
  });

  it('that nobody handed in waits for people where too few endpoints remember so far back, and for endpoints where they are away', async () => {
    const unsigned = await prepared();
    await outlive();
    const slot = await node.ask<number>('getSlot', { commitment: 'finalized' });
    const forgets = (method: string, result: unknown): unknown =>
      method === 'getSignaturesForAddress' ? [] : method === 'getFirstAvailableBlock' ? slot : result;
    proxies[0]!.change = forgets;
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'dead' });
    proxies[1]!.change = forgets;
    expect(await fate(unsigned, null)).toEqual({
      kind: 'unclear',
      reason: expect.stringContaining('too few endpoints can list'),
      found: null,
      alike: [],
    });
    for (const proxy of proxies.slice(0, 2))
      proxy.change = (method, result) => (method === 'getSignaturesForAddress' ? { garbage: true } : result);
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'trouble' });
  });

  it('that came into a block at the last moment is never dead', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    await outgoing.broadcast(signed, soon());
    await outlive();
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'final' });
    // Two denials count until the third answers; one does not.
    for (const method of ['getTransaction', 'getSignatureStatuses']) {
      proxies[0]!.change = (asked, result) =>
        asked !== method ? result : method === 'getTransaction' ? null : { ...(result as object), value: [null] };
      expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'final' });
    }
  });

  it('is not dead by one endpoint that is far ahead, and its last height is not told too low by one', async () => {
    proxies[0]!.change = (method, result) => (method === 'getBlockHeight' ? 1 : result);
    const unsigned = await prepared();
    const height = await node.ask<number>('getBlockHeight', { commitment: 'confirmed' });
    expect(Number(unsigned.terms['last_height'])).toBeGreaterThanOrEqual(height + 140);
    proxies[0]!.change = (method, result) => (method === 'getBlockHeight' ? Number(result) + 1_000_000 : result);
    expect(await fate(unsigned, null)).toEqual({ kind: 'unknown' });
    expect(await outgoing.prepare(orderOf(), null, soon())).toMatchObject({ kind: 'ready' });
  });

  it('is included and gone again where the chain takes it back, and goes out by the same bytes', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    // Its blockhash must survive the fork.
    await node.hands.mine(3);
    await outgoing.broadcast(signed, soon());
    await node.hands.drop(signed.transactionId);
    expect(await fate(unsigned, signed.transactionId)).toEqual({ kind: 'unknown' });
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'included' });
  });

  it('is failed where the chain executed it and nothing moved', async () => {
    const to = newOwner();
    const unsigned = await prepared({ to });
    const signed = signedOf(unsigned);
    // Account frozen meanwhile.
    const frozen = Buffer.from(
      tokenAccount({ mint: USDC.address, owner: to, amount: 0n }, TOKEN_PROGRAM, false).data,
      'base64',
    );
    frozen[108] = 2;
    await node.ask('sandbox_setAccount', tokenAccountOf(to, USDC.address, TOKEN_PROGRAM), {
      lamports: '10000000',
      owner: TOKEN_PROGRAM,
      data: frozen.toString('base64'),
    });
    expect(await outgoing.broadcast(signed, soon())).toMatchObject({ kind: 'refused' });
    await node.ask('sendTransaction', signed.raw, { encoding: 'base64', skipPreflight: true });
    await node.hands.mine(40);
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'failed' });
    expect(await outgoing.prepare(orderOf({ to }), null, soon())).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('frozen'),
    });
  });

  it('goes to no token account, mint or program', async () => {
    for (const to of [tokenAccountOf(WALLET, USDC.address, TOKEN_PROGRAM), USDC.address]) {
      expect(await outgoing.prepare(orderOf({ to }), null, soon())).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('not the owner'),
      });
    }
    expect(await outgoing.prepare(orderOf({ to: TOKEN_PROGRAM }), null, soon())).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('program'),
    });
  });

  it('waits where the wallet has too little', async () => {
    const has = await held(WALLET);
    expect(
      await outgoing.prepare(orderOf({ amountMinor: has, reserved: { tokenMinor: 1n, feeMinor: 0n } }), null, soon()),
    ).toEqual({ kind: 'short', of: 'token', needsMinor: has + 1n, hasMinor: has });
    expect(
      await outgoing.prepare(orderOf({ reserved: { tokenMinor: 0n, feeMinor: 10n ** 12n } }), null, soon()),
    ).toMatchObject({ kind: 'short', of: 'fee' });
    expect(await outgoing.prepare(orderOf({ from: newOwner() }), null, soon())).toMatchObject({
      kind: 'short',
      of: 'token',
      hasMinor: 0n,
    });
  });

  it.each([
    ['one hangs', 1, 'ready'],
    ['two hang', 2, 'trouble'],
  ])(
    'where %s',
    async (_what, hanging, kind) => {
      for (const proxy of proxies.slice(0, hanging)) proxy.misbehave = hang;
      expect((await outgoing.prepare(orderOf(), null, Date.now() + 8_000)).kind).toBe(kind);
    },
    20_000,
  );

  it('is nothing that is known where too few endpoints answer', async () => {
    const unsigned = await prepared();
    const signed = signedOf(unsigned);
    for (const proxy of proxies.slice(0, 2)) proxy.misbehave = status(503);
    expect(await fate(unsigned, signed.transactionId)).toMatchObject({ kind: 'trouble' });
    expect(await fate(unsigned, null)).toMatchObject({ kind: 'trouble' });
    expect(await outgoing.broadcast(signed, soon())).toEqual({ kind: 'given' });
  });
});

describe('a signature of a transfer on Solana', () => {
  it.each([
    ['amountMinor', '1234568'],
    ['to', newOwner()],
    ['from', newOwner()],
    ['token', SOLANA.tokens[1]!.address],
    ['symbol', 'USDT'],
    ['decimals', 9],
    ['chain', 'CELO'],
    ['place', '1'],
    ['mostFeeMinor', '1'],
    ['payload', Buffer.from('another').toString('base64')],
  ])('is not given where %s is another than what is signed', async (member, value) => {
    const unsigned = await prepared();
    const { raw } = signedOf(unsigned);
    expect(signer.sign({ ...unsigned, [member]: value }, KEY).ok).toBe(false);
    expect(signer.verify({ ...unsigned, [member]: value }, raw).ok).toBe(false);
  });

  it('is of the wallet alone, and of nothing else', async () => {
    const unsigned = await prepared();
    const { raw } = signedOf(unsigned);
    const stranger = Keypair.generate();
    expect(signer.sign(unsigned, encodeBase58(stranger.secretKey))).toMatchObject({
      ok: false,
      error: expect.stringContaining(stranger.publicKey.toBase58()),
    });
    const bytes = Buffer.from(raw, 'base64');
    bytes[7]! ^= 1;
    expect(signer.verify(unsigned, bytes.toString('base64'))).toMatchObject({
      ok: false,
      error: expect.stringContaining('not signed with the key'),
    });
    expect(signer.verify(await prepared(), raw)).toMatchObject({
      ok: false,
      error: expect.stringContaining('differs from the request'),
    });
    for (const other of [`${raw}\n`, raw.slice(4), '', 'x']) expect(signer.verify(unsigned, other).ok).toBe(false);
  });

  it('needs both halves of a key', () => {
    expect(signer.addressOf(KEY)).toEqual({ ok: true, value: WALLET });
    const torn = Buffer.concat([wallet.secretKey.subarray(0, 32), Keypair.generate().publicKey.toBuffer()]);
    for (const secret of [encodeBase58(torn), encodeBase58(wallet.secretKey.subarray(0, 32)), 'secret', ''])
      expect(JSON.stringify(signer.addressOf(secret))).toMatch(/^\{"ok":false,"error":"the key/);
  });
});
