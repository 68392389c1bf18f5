import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';

import { tokenAccountOf, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../solana/token-programs.js';
import { SOLANA, startSolanaNode, USDC, type StartedNode } from './solana-node.spec-support.js';

jest.setTimeout(30_000);

const ownerOf = (): string => Keypair.generate().publicKey.toBase58();
const unsent = (payer: Keypair, recentBlockhash: string, lamports = 1_000_000): string => {
  const transaction = new Transaction({ feePayer: payer.publicKey, recentBlockhash }).add(
    SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports }),
  );
  transaction.sign(payer);
  return transaction.serialize().toString('base64');
};

describe('a node of Solana for a sandbox', () => {
  let work: string;
  let node: StartedNode;
  let folders = 0;
  const started: StartedNode[] = [];
  const start = async (folder = `n${String((folders += 1))}`, now?: () => number): Promise<StartedNode> => {
    const one = await startSolanaNode(join(work, folder), now);
    started.push(one);
    return one;
  };
  const sent = async (
    to: string,
    more: { asset?: string; amount?: string; from?: string; mine?: boolean } = {},
    at = node,
  ): Promise<{ hash: string; blockNumber: number }> => {
    const result = await at.hands.transfer({ asset: 'USDC', amount: '12.5', to, ...more });
    if (!result.ok) throw new Error(result.error);
    return result.value as { hash: string; blockNumber: number };
  };
  const balance = async (owner: string, at = node, mint = USDC.address, program = TOKEN_PROGRAM): Promise<string> => {
    const { value } = await at.ask<{ value: { amount: string } }>(
      'getTokenAccountBalance',
      tokenAccountOf(owner, mint, program),
    );
    return value.amount;
  };
  const found = (
    hash: string,
    config: object = {},
    at = node,
  ): Promise<{ slot: number; blockTime: number; meta: { err: unknown } } | null> =>
    at.ask('getTransaction', hash, { maxSupportedTransactionVersion: 1, ...config });

  beforeAll(async () => {
    work = await mkdtemp(join(tmpdir(), 'vuka-solana-node-'));
    node = await start();
  });
  afterEach(() => node.hands.stall(false));
  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop().catch(() => undefined)));
    await rm(work, { recursive: true, force: true });
  });

  it('is the chain of the registry, with its tokens at their addresses', async () => {
    expect(await node.ask('getGenesisHash')).toBe(SOLANA.genesisHash);
    for (const { address, decimals, program, symbol } of SOLANA.tokens) {
      const { value } = await node.ask<{ value: { owner: string; data: [string] } }>('getAccountInfo', address, {
        encoding: 'base64',
      });
      expect([value.owner, Buffer.from(value.data[0], 'base64')[44]]).toEqual([
        program === undefined ? TOKEN_PROGRAM : TOKEN_2022_PROGRAM,
        decimals,
      ]);
      const to = ownerOf();
      const { hash, blockNumber } = await sent(to, { asset: symbol });
      expect(await found(hash)).toMatchObject({ slot: blockNumber, meta: { err: null } });
      expect(await balance(to, node, address, value.owner)).toBe(String(125 * 10 ** (decimals - 1)));
    }
  });

  it('is read by the library of the chain, in both encodings', async () => {
    const connection = new Connection(node.url, { commitment: 'finalized', disableRetryOnRateLimit: true });
    const to = ownerOf();
    const { hash, blockNumber } = await sent(to);
    const raw = await connection.getTransaction(hash, { maxSupportedTransactionVersion: 1 });
    expect(raw).toMatchObject({ slot: blockNumber, version: 'legacy', transaction: { signatures: [hash] } });
    const parsed = (await connection.getParsedTransaction(hash, { maxSupportedTransactionVersion: 1 }))!;
    const index = parsed.transaction.message.accountKeys.findIndex(
      ({ pubkey }) => pubkey.toBase58() === tokenAccountOf(to, USDC.address, TOKEN_PROGRAM),
    );
    expect(parsed.meta!.postTokenBalances).toContainEqual({
      accountIndex: index,
      mint: USDC.address,
      owner: to,
      programId: TOKEN_PROGRAM,
      uiTokenAmount: { amount: '12500000', decimals: 6, uiAmount: 12.5, uiAmountString: '12.5' },
    });
    const listed = await connection.getSignaturesForAddress(
      new PublicKey(tokenAccountOf(to, USDC.address, TOKEN_PROGRAM)),
    );
    expect(listed).toMatchObject([{ signature: hash, slot: blockNumber, err: null, confirmationStatus: 'finalized' }]);
    expect((await connection.getSignatureStatuses([hash, 'z'.repeat(87)].slice(0, 1))).value).toMatchObject([
      { slot: blockNumber, confirmationStatus: 'finalized' },
    ]);
    expect(
      (await connection.getBlock(blockNumber, { transactionDetails: 'none', maxSupportedTransactionVersion: 1 }))!,
    ).toMatchObject({ parentSlot: blockNumber - 1 });
  });

  it('has what is sent confirmed at once and final after 31 slots, and no block later than the clock', async () => {
    const { hash, blockNumber } = await sent(ownerOf(), { mine: false });
    expect(await found(hash, { commitment: 'finalized' })).toBeNull();
    expect(await found(hash, { commitment: 'confirmed' })).toMatchObject({ slot: blockNumber });
    expect(await node.ask('getSignatureStatuses', [hash])).toMatchObject({
      value: [{ confirmationStatus: 'confirmed', err: null }],
    });
    await node.hands.mine(500);
    const seen = (await found(hash))!;
    expect(seen.blockTime).toBe(await node.ask('getBlockTime', blockNumber));
    const newest = await node.hands.height();
    expect((await node.ask<number>('getBlockTime', newest)) * 1_000).toBeLessThanOrEqual(Date.now());
    expect(
      (await node.ask<number>('getSlot', { commitment: 'processed' })) -
        (await node.ask<number>('getSlot', { commitment: 'finalized' })),
    ).toBe(31);
  });

  it('goes on by the clock: a slot each 400 ms', async () => {
    let now = 1_800_000_000_000;
    const other = await start(undefined, () => now);
    const first = await other.hands.height();
    now += 4_000;
    expect(await other.hands.height()).toBe(first + 10);
    await other.hands.mine(100);
    expect(await other.hands.height()).toBe(first + 110);
    expect(await other.ask('getBlockTime', first + 50)).toBe(1_800_000_004);
    expect(await other.ask('getBlockTime', first + 5)).toBe(1_800_000_002);
    await expect(other.ask('getBlockTime', first + 111)).rejects.toThrow('-32004');
    expect((await other.ask<number>('getSlot')) - (await other.ask<number>('getBlockHeight'))).toBeGreaterThan(1_000);
  });

  it('keeps all it told over a restart, and over a death in the middle of a line', async () => {
    const first = await start('kept');
    const [kept, lost, to] = [
      await sent(ownerOf(), {}, first),
      await sent(ownerOf(), { mine: false }, first),
      ownerOf(),
    ];
    await first.hands.drop(lost.hash);
    await sent(to, {}, first);
    const [told, height, hash] = [
      await found(kept.hash, {}, first),
      await first.hands.height(),
      await first.ask('getBlock', kept.blockNumber, { transactionDetails: 'none' }),
    ];
    await first.stop();
    appendFileSync(join(work, 'kept', 'chain.jsonl'), '{"kind":"fork","fro');
    const second = await start('kept');
    expect(await found(kept.hash, {}, second)).toEqual(told);
    expect(await found(lost.hash, { commitment: 'confirmed' }, second)).toBeNull();
    expect(await second.ask('getBlock', kept.blockNumber, { transactionDetails: 'none' })).toEqual(hash);
    expect(await balance(to, second)).toBe('12500000');
    expect(await second.hands.height()).toBeGreaterThanOrEqual(height);
    await sent(to, {}, second);
    expect(await balance(to, second)).toBe('25000000');
    await second.stop();
    writeFileSync(
      join(work, 'kept', 'chain.jsonl'),
      readFileSync(join(work, 'kept', 'chain.jsonl'), 'utf8').replace('"kind":"accounts"', '"kind:accounts"'),
    );
    await expect(start('kept')).rejects.toThrow(/damaged in line \d+/);
  });

  it('takes back what is dropped or reorganised, and nothing that is final', async () => {
    const to = ownerOf();
    const final = await sent(to);
    const [gone, stays] = [await sent(to, { amount: '1', mine: false }), await sent(to, { amount: '2', mine: false })];
    await node.hands.drop(gone.hash);
    expect(await found(gone.hash, { commitment: 'confirmed' })).toBeNull();
    expect(await balance(to)).toBe('14500000');
    expect(await found(stays.hash, { commitment: 'confirmed' })).not.toBeNull();
    const hashBefore = await node.ask<{ blockhash: string }>('getBlock', stays.blockNumber, {
      commitment: 'confirmed',
      transactionDetails: 'none',
    });
    expect(await node.hands.reorg(10)).toEqual({ ok: true });
    expect(await balance(to)).toBe('12500000');
    expect(
      await node.ask('getBlock', stays.blockNumber, { commitment: 'confirmed', transactionDetails: 'none' }),
    ).not.toEqual(hashBefore);
    expect(await node.hands.reorg(40)).toEqual({ ok: false, error: expect.stringContaining('what is final stays') });
    await expect(node.hands.drop(final.hash)).rejects.toThrow('what is final stays');
  });

  it('makes no block while it is stalled, and goes on with what was sent meanwhile', async () => {
    const to = ownerOf();
    await node.hands.stall(true);
    const height = await node.hands.height();
    const { hash, blockNumber } = await sent(to);
    expect([blockNumber, await node.hands.height()]).toEqual([null, height]);
    expect(await node.ask('getSignatureStatuses', [hash])).toMatchObject({ value: [null] });
    await node.hands.stall(false);
    expect(await found(hash, { commitment: 'confirmed' })).toMatchObject({ slot: height + 1 });
    expect(await balance(to)).toBe('12500000');
  });

  it('finalises nothing while that is stalled', async () => {
    await node.hands.stallFinality(true);
    const { hash } = await sent(ownerOf());
    expect(await found(hash)).toBeNull();
    await node.hands.stallFinality(false);
    expect(await found(hash)).not.toBeNull();
  });

  it('takes what is signed and young, once', async () => {
    const payer = Keypair.generate();
    await node.hands.fuel(payer.publicKey.toBase58());
    const {
      value: { blockhash, lastValidBlockHeight },
    } = await node.ask<{ value: { blockhash: string; lastValidBlockHeight: number } }>('getLatestBlockhash');
    expect(
      lastValidBlockHeight - (await node.ask<number>('getBlockHeight', { commitment: 'finalized' })),
    ).toBeGreaterThan(140);
    const raw = unsent(payer, blockhash);
    const hash = await node.ask<string>('sendTransaction', raw, { encoding: 'base64' });
    expect(await found(hash, { commitment: 'confirmed' })).not.toBeNull();
    await expect(node.ask('sendTransaction', raw, { encoding: 'base64' })).rejects.toThrow(
      '-32002 Transaction simulation failed: This transaction has already been processed',
    );
    const forged = Buffer.from(unsent(payer, blockhash, 7), 'base64');
    forged[5]! ^= 1;
    await expect(node.ask('sendTransaction', forged.toString('base64'), { encoding: 'base64' })).rejects.toThrow(
      '-32003',
    );
    await expect(
      node.ask('sendTransaction', unsent(payer, blockhash, 10 ** 12), { encoding: 'base64' }),
    ).rejects.toThrow('-32002');
    const failed = await node.ask<string>('sendTransaction', unsent(payer, blockhash, 10 ** 12), {
      encoding: 'base64',
      skipPreflight: true,
    });
    expect(await found(failed, { commitment: 'confirmed' })).toMatchObject({
      meta: { err: { InstructionError: [0, { Custom: 1 }] } },
    });
    await node.hands.mine(200);
    expect(await node.ask('isBlockhashValid', blockhash)).toMatchObject({ value: false });
    await expect(node.ask('sendTransaction', unsent(payer, blockhash, 8), { encoding: 'base64' })).rejects.toThrow(
      'Blockhash not found',
    );
    await expect(node.ask('sendTransaction', 'AAAA', { encoding: 'base64' })).rejects.toThrow('-32602');
  });

  it('pages through the signatures of an address', async () => {
    const to = ownerOf();
    const hashes: string[] = [];
    for (let each = 0; each < 5; each += 1) hashes.unshift((await sent(to, { amount: '1' })).hash);
    const account = tokenAccountOf(to, USDC.address, TOKEN_PROGRAM);
    const page = async (config: object): Promise<string[]> =>
      (await node.ask<{ signature: string }[]>('getSignaturesForAddress', account, config)).map(
        ({ signature }) => signature,
      );
    expect(await page({})).toEqual(hashes);
    expect(await page({ limit: 2 })).toEqual(hashes.slice(0, 2));
    expect(await page({ limit: 2, before: hashes[1] })).toEqual(hashes.slice(2, 4));
    expect(await page({ until: hashes[3] })).toEqual(hashes.slice(0, 3));
    await expect(page({ minContextSlot: 10 ** 12 })).rejects.toThrow('-32016');
    await expect(page({ limit: 1_001 })).rejects.toThrow('-32602');
  });

  it.each([
    [{ asset: 'usdc', amount: '1' }, /^usdc is no token of SOLANA\. It has USDC, USDT, EURC, PYUSD/],
    [{ asset: 'USDC', amount: '1.1234567' }, /has 7 decimals; USDC has 6/],
    [{ asset: 'USDC', amount: '1e3' }, /decimal number/],
    [{ asset: 'USDC', amount: '99999999999999' }, /more than a mint/],
    [{ asset: 'USDC', amount: '1', to: 'x' }, /32 bytes in base58/],
  ])('refuses %j', async (transfer, why) => {
    expect(await node.hands.transfer({ to: USDC.address, ...transfer })).toEqual({
      ok: false,
      error: expect.stringMatching(why),
    });
  });

  it('knows no other method, and stays up for what is no request', async () => {
    await expect(node.ask('getNothing')).rejects.toThrow('-32601');
    await expect(node.ask('constructor')).rejects.toThrow('-32601');
    expect((await fetch(node.url, { method: 'POST', body: '{' })).status).toBe(400);
    expect(await node.ask('getHealth')).toBe('ok');
  });
});
