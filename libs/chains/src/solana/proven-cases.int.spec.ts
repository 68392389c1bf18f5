import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Sighting } from '@vuka/domain';
import { BootError, createLogger } from '@vuka/runtime';
import { until } from '@vuka/testing';

import type { BlockAt } from '../deposit-reader.js';
import { hang, refuseWith, send, status, when, type Json } from '../evm/fake-rpc.spec-support.js';
import { Proxy } from '../evm/proxy.spec-support.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { SOLANA, startSolanaNode, USDC, type StartedNode } from '../sandbox/solana/solana-node.spec-support.js';
import { tokenAccount } from '../sandbox/solana/token-accounts.js';
import { encodeBase58 } from './base58.js';
import { createSolanaReader, type SolanaFacts } from './solana-reader.js';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, tokenAccountOf } from './token-programs.js';
import { newOwner, Wallet, type Version } from './wallet.spec-support.js';

jest.setTimeout(30_000);

/** A mint that withholds 1 %. */
const FEE_MINT = newOwner();
const FACTS: SolanaFacts = { ...SOLANA, tokens: [...SOLANA.tokens, { address: FEE_MINT, program: 'token-2022' }] };
const lines: string[] = [];
const log = createLogger('test', { level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
let asked = 0;
// Advances on each call, so that no answer comes from a cache.
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };

let folder: string;
let node: StartedNode;
let proxies: Proxy[];
let reader: ChainReader;
let payer: Wallet;
const readers: ChainReader[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-solana-'));
  node = await startSolanaNode(folder);
  await node.ask('sandbox_setMint', { mint: FEE_MINT, program: TOKEN_2022_PROGRAM, decimals: 6, feeBasisPoints: 100 });
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(node.url).start()));
  reader = await freshReader();
  payer = await Wallet.of(
    node,
    [USDC.address, FEE_MINT].map((mint) => ({ mint, minor: 10n ** 12n })),
  );
}, 30_000);
afterEach(() => {
  for (const proxy of proxies) proxy.honest();
  lines.length = 0;
});
afterAll(async () => {
  await Promise.all(readers.map((one) => one.close()));
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const UNKNOWN = encodeBase58(new Uint8Array(64).fill(7));
const read = (hash: string, owner: string, by = reader): Promise<Sighting> => by.read(hash, owner, Date.now() + 10_000);
/** Not used yet. */
const freshReader = async (): Promise<ChainReader> => {
  const one = await createSolanaReader({
    chain: FACTS,
    endpoints: proxies.map(({ url }) => url),
    agree: 2,
    log,
    clock,
  });
  readers.push(one);
  return one;
};
const final = (): Promise<unknown> => node.ask('sandbox_finalize');
const codes = (): unknown[] =>
  lines.map((line) => (JSON.parse(line) as { code?: unknown }).code).filter((code) => code !== undefined);
/** After finality; account order ignored. */
const credited = async (hash: string, owner: string): Promise<unknown> => {
  await final();
  const sighting = await read(hash, owner);
  return sighting.kind === 'found'
    ? sighting.transfers.map(({ ordinal: _ordinal, ...transfer }) => transfer)
    : sighting.kind;
};
const usdc = (value: bigint, more: object = {}): object => ({ token: USDC.address, from: payer.owner, value, ...more });
const changed =
  (change: (told: Json) => unknown) =>
  (method: string, result: unknown): unknown =>
    method === 'getTransaction' && result !== null ? change(result as Json) : result;

describe('a deposit on Solana', () => {
  it.each<Version>(['legacy', 0, 1])(
    'is what the account holds more than before, in a transaction of version %s',
    async (version) => {
      const owner = newOwner();
      const [hash] = await payer.send(payer.checked(USDC.address, owner, 12_500_000n), { version });
      await final();
      const { slot, blockTime } = await node.ask<{ slot: number; blockTime: number }>('getTransaction', hash, {
        maxSupportedTransactionVersion: 1,
      });
      const { blockhash } = await node.ask<{ blockhash: string }>('getBlock', slot, { transactionDetails: 'none' });
      expect(await read(hash!, owner)).toEqual({
        kind: 'found',
        block: { number: slot, hash: blockhash, timeMs: blockTime * 1_000 },
        heights: { latest: expect.any(Number), safe: null, finalized: expect.any(Number) },
        transfers: [{ token: USDC.address, from: payer.owner, value: 12_500_000n, ordinal: expect.any(Number) }],
      });
      const again = (await read(hash!, owner)) as Extract<Sighting, { kind: 'found' }>;
      expect(again.heights.finalized).toBeGreaterThanOrEqual(slot);
      // A slot may pass between the two questions.
      expect([30, 31]).toContain(again.heights.latest - again.heights.finalized!);
    },
  );

  it('may be by the plain instruction, twice with a memo, and by a table of addresses', async () => {
    const owner = newOwner();
    const account = tokenAccountOf(owner, USDC.address, TOKEN_PROGRAM);
    const [first] = await payer.send(payer.checked(USDC.address, owner, 1n));
    const [plain] = await payer.send([payer.plain(payer.accountOf(USDC.address), account, 7n)]);
    const [twice] = await payer.send([
      ...payer.checked(USDC.address, owner, 400n),
      payer.memo('order 17'),
      payer.plain(payer.accountOf(USDC.address), account, 5n),
    ]);
    const [byTable] = await payer.send([payer.plain(payer.accountOf(USDC.address), account, 9n)], {
      version: 0,
      byTable: [account, payer.accountOf(USDC.address)],
    });
    expect(await credited(first!, owner)).toEqual([usdc(1n)]);
    expect(await credited(plain!, owner)).toEqual([usdc(7n)]);
    expect(await credited(twice!, owner)).toEqual([usdc(405n)]);
    expect(await credited(byTable!, owner)).toEqual([usdc(9n)]);
    const { transaction, meta } = await node.ask<{
      transaction: { message: { accountKeys: string[] } };
      meta: { loadedAddresses: { writable: string[] } };
    }>('getTransaction', byTable, { maxSupportedTransactionVersion: 0 });
    expect(transaction.message.accountKeys).not.toContain(account);
    expect(meta.loadedAddresses.writable).toContain(account);
  });

  it('is nothing of a mint that is not listed, and nothing in another account of ours', async () => {
    const [owner, fake] = [newOwner(), newOwner()];
    await node.hands.ask('sandbox_give', { owner: payer.owner, mint: fake, amountMinor: '1000000' });
    const [forged] = await payer.send(payer.checked(fake, owner, 1_000_000n));
    expect(await credited(forged!, owner)).toEqual([]);
    const second = newOwner();
    await node.ask(
      'sandbox_setAccount',
      second,
      tokenAccount({ mint: USDC.address, owner, amount: 0n }, TOKEN_PROGRAM, false),
    );
    const [elsewhere] = await payer.send([payer.plain(payer.accountOf(USDC.address), second, 777n)]);
    expect(await credited(elsewhere!, owner)).toEqual([]);
    expect(await credited(forged!, newOwner())).toEqual([]);
  });

  it('is what came, where the mint withholds a fee', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(FEE_MINT, owner, 1_000_000n, { program: TOKEN_2022_PROGRAM }));
    expect(await credited(hash!, owner)).toEqual([{ token: FEE_MINT, from: payer.owner, value: 990_000n }]);
  });

  it('names all whose balances fell, and most of it first', async () => {
    const [owner, other] = [newOwner(), await Wallet.of(node, [{ mint: USDC.address, minor: 10n ** 9n }])];
    const hashes = await payer.send(
      [
        ...payer.checked(USDC.address, owner, 10n),
        other.plain(other.accountOf(USDC.address), tokenAccountOf(owner, USDC.address, TOKEN_PROGRAM), 90n),
      ],
      { others: [other.keys] },
    );
    expect(hashes).toHaveLength(2);
    expect(await credited(hashes[0]!, owner)).toEqual([
      { token: USDC.address, from: other.owner, alsoFrom: [payer.owner], value: 100n },
    ]);
    // Its second signature is no id.
    expect(await read(hashes[1]!, owner)).toEqual({ kind: 'not_found' });
  });

  it('is failed where its transaction is, whatever it began with', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(
      [
        ...payer.checked(USDC.address, owner, 5n),
        payer.plain(payer.accountOf(USDC.address), payer.accountOf(USDC.address), 10n ** 18n),
      ],
      { skipPreflight: true },
    );
    expect(await read(hash!, owner)).toMatchObject({ kind: 'failed', block: { number: expect.any(Number) } });
    expect(await credited(hash!, owner)).toBe('failed');
  });

  it('is not known by what nobody sent, nor by its signature in lower case', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 5n));
    await final();
    expect(await read(UNKNOWN, owner)).toEqual({ kind: 'not_found' });
    // A valid id would be another's.
    const lower = await read(hash!.toLowerCase(), owner).catch((error: unknown) => error);
    expect(lower instanceof TypeError || (lower as Sighting).kind === 'not_found').toBe(true);
  });

  it('is in its slot and not final while it is confirmed alone, and gone when it is dropped', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 5n));
    const sighting = (await read(hash!, owner)) as Extract<Sighting, { kind: 'found' }>;
    expect(sighting).toMatchObject({ kind: 'found', transfers: [usdc(5n)] });
    expect(sighting.heights.finalized).toBeLessThan(sighting.block.number);
    await node.hands.drop(hash!);
    expect(await read(hash!, owner)).toEqual({ kind: 'not_found' });
  });
});

describe('the block of a slot on Solana', () => {
  const blockAt = (slot: number): Promise<BlockAt> => reader.blockAt(slot, Date.now() + 10_000);
  /** Slot skipped or lost; `parentSlot` of the next block. */
  const without = (slot: number, parentSlot: number): void => {
    for (const proxy of proxies) {
      proxy.misbehave = ({ method, params, id }, response) => {
        if (method === 'getBlocksWithLimit') return (send(response, { jsonrpc: '2.0', id, result: [slot + 2] }), true);
        if (method !== 'getBlock') return false;
        const answer =
          params[0] === slot
            ? {
                error: { code: -32_007, message: 'Slot was skipped, or missing due to ledger jump to recent snapshot' },
              }
            : { result: { parentSlot } };
        return (send(response, { jsonrpc: '2.0', id, ...answer }), true);
      };
    }
  };

  it('is that of the chain, and another one after a fork', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 5n));
    const { block } = (await read(hash!, owner)) as Extract<Sighting, { kind: 'found' }>;
    expect(await blockAt(block.number)).toEqual({ kind: 'block', hash: block.hash });
    await node.hands.drop(hash!);
    expect(await blockAt(block.number)).toEqual({ kind: 'block', hash: expect.any(String) });
    expect(await blockAt(block.number)).not.toEqual({ kind: 'block', hash: block.hash });
    expect(await blockAt(block.number + 1_000_000)).toMatchObject({ kind: 'trouble' });
  });

  it('is none where the next block says that its parent is below it, and trouble where it has been lost', async () => {
    without(400, 399);
    expect(await blockAt(400)).toEqual({ kind: 'block', hash: null });
    without(400, 400);
    expect(await blockAt(400)).toEqual({ kind: 'trouble', reason: expect.stringContaining('no such block') });
    without(400, 401);
    expect(await blockAt(400)).toMatchObject({ kind: 'trouble' });
  });
});

describe('two of three endpoints of Solana', () => {
  it.each([
    [
      'raises the amount',
      (proxy: Proxy) =>
        (proxy.change = changed((told) =>
          JSON.parse(JSON.stringify(told).replaceAll('"amount":"500"', '"amount":"900500"')),
        )),
    ],
    [
      'says that it failed',
      (proxy: Proxy) =>
        (proxy.change = changed((told) => ({ ...told, meta: { ...(told['meta'] as Json), err: 'AccountInUse' } }))),
    ],
    [
      'names another owner',
      (proxy: Proxy) =>
        (proxy.change = changed((told) =>
          JSON.parse(JSON.stringify(told).replaceAll(`"owner":"${payer.owner}"`, `"owner":"${USDC.address}"`)),
        )),
    ],
    [
      'moves it into another slot',
      (proxy: Proxy) => (proxy.change = changed((told) => ({ ...told, slot: Number(told['slot']) - 1 }))),
    ],
    [
      'knows nothing',
      (proxy: Proxy) => (proxy.change = (method, result) => (method === 'getTransaction' ? null : result)),
    ],
    [
      'is far behind',
      (proxy: Proxy) =>
        (proxy.change = (method, result) =>
          method === 'getTransaction' ? null : method === 'getBlockTime' ? Number(result) - 3_600 : result),
    ],
    ['reads no new version', (proxy: Proxy) => (proxy.misbehave = when('getTransaction', refuseWith(-32015)))],
    [
      'leaves out the balances',
      (proxy: Proxy) => (proxy.change = changed((told) => ({ ...told, meta: { err: null } }))),
    ],
    ['fails', (proxy: Proxy) => (proxy.misbehave = status(503))],
    ['hangs', (proxy: Proxy) => (proxy.misbehave = hang)],
  ])('are believed where one %s', async (_what, hurt) => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 500n));
    hurt(proxies[0]!);
    expect(await credited(hash!, owner)).toEqual([usdc(500n)]);
  });

  it('accuse the one that tells of the same block otherwise', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 500n));
    proxies[0]!.change = changed((told) =>
      JSON.parse(JSON.stringify(told).replaceAll('"amount":"500"', '"amount":"900500"')),
    );
    await final();
    expect(await read(hash!, owner, await freshReader())).toMatchObject({ transfers: [usdc(500n)] });
    await until(() => codes().includes('chain_endpoint_contradicts'), { withinMs: 2_000, what: 'the alarm' });
  });

  it.each([
    [
      'refuse its version, which is our defect',
      -32015,
      ['chain_transaction_unreadable', 'chain_transaction_unreadable', 'chain_transaction_unreadable'],
    ],
    ['give no answer', -32603, []],
  ])('say nothing where they %s: no verdict', async (_what, code, alarms) => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 500n));
    await final();
    const one = await freshReader();
    for (const proxy of proxies) proxy.misbehave = when('getTransaction', refuseWith(code));
    for (let time = 0; time < 2; time += 1) expect(await read(hash!, owner, one)).toMatchObject({ kind: 'trouble' });
    expect(codes()).toEqual(alarms);
  });

  it('do not know what they do not hold, if they lag', async () => {
    for (const proxy of proxies.slice(1))
      proxy.change = (method, result) => (method === 'getBlockTime' ? Number(result) - 3_600 : result);
    expect(await read(UNKNOWN, newOwner())).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('lags') });
  });

  it('believe no answer about another transaction', async () => {
    const owner = newOwner();
    const [hash] = await payer.send(payer.checked(USDC.address, owner, 500n));
    await final();
    const answer = await node.ask('getTransaction', hash, { maxSupportedTransactionVersion: 1 });
    for (const proxy of proxies) proxy.change = (method, result) => (method === 'getTransaction' ? answer : result);
    expect(await read(UNKNOWN, owner)).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('unreadable transaction'),
    });
  });

  it('are of this chain: another one is refused at the start', async () => {
    proxies[1]!.change = (method, result) =>
      method === 'getGenesisHash' ? 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' : result;
    const error: unknown = await createSolanaReader({
      chain: FACTS,
      endpoints: proxies.map(({ url }) => url),
      agree: 2,
      log,
      clock,
    }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BootError);
    expect((error as BootError).message).toMatch(/^SOLANA: endpoint 2 serves chain EtWTR.*, not 5eykt/);
  });
});
