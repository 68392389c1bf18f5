import { describe, expect, it } from '@jest/globals';
import type { ChainHeights, FinalityRule } from '@vuka/domain';

import { RpcError, type EndpointClient } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony } from '../reader/endpoint.js';

import {
  amount,
  blockHash,
  hex,
  OURS,
  PAYER,
  transferLog,
  TX,
  USDC,
  word,
  type Json,
} from './fake-rpc.spec-support.js';
import { scanPage } from './scan-page.js';

const finality: FinalityRule = {
  version: 1,
  tiers: [{ maxUsdCents: null, tag: 'finalized', minDepth: 0, depthWithoutTag: null }],
  maxTagLagMs: 60_000,
};
const HEIGHTS: ChainHeights = { latest: 20_130, safe: 20_120, finalized: 20_110 };
const cursorAt = (number: number, final = number - 10): string =>
  `${String(number)} ${blockHash(number)} ${String(final)}`;

const logAt = (number: number, more: Json = {}): Json => ({
  ...transferLog(),
  blockNumber: hex(number),
  blockHash: blockHash(number),
  logIndex: '0x0',
  ...more,
});

interface Fixture {
  readonly question?: Partial<Omit<PageQuestion, 'addresses'>>;
  readonly addresses?: readonly string[];
  readonly seen?: string[];
  readonly logs?: unknown;
  readonly sent?: readonly Json[];
  /** By number; null: none. */
  readonly blocks?: Readonly<Record<number, string | null>>;
  /** Hashes that change after the logs call. */
  readonly after?: Readonly<Record<number, string>>;
  readonly rule?: FinalityRule;
}

async function pageOf({
  question = {},
  addresses = [OURS],
  seen = [],
  logs = [],
  sent = [],
  blocks = {},
  after = {},
  rule = finality,
}: Fixture): Promise<PageTestimony & { asked: Json[] }> {
  const asked: Json[] = [];
  const call = async (_method: string, [filter]: readonly unknown[]): Promise<unknown> => {
    asked.push(filter as Json);
    if (logs instanceof Error) throw logs;
    return ((filter as Json)['topics'] as unknown[])[1] === null ? logs : sent;
  };
  const blockAt = async (number: number) => {
    const hash =
      (asked.length > 0 ? after[number] : undefined) ?? (number in blocks ? blocks[number] : blockHash(number));
    return typeof hash === 'string' ? { number, hash, timeMs: number } : undefined;
  };
  const listed = new Set([USDC.toLowerCase()]);
  const whole = {
    cursor: cursorAt(20_100),
    addresses: async (hash: string) => (seen.push(hash), addresses),
    heights: HEIGHTS,
    share: 1,
    ...question,
  };
  return {
    ...(await scanPage(whole, { client: { call } as unknown as EndpointClient, listed, finality: rule, blockAt })),
    asked,
  };
}

describe('where a page begins and ends', () => {
  it('is now where there is no cursor, and nothing is asked of logs', async () => {
    expect(await pageOf({ question: { cursor: null } })).toMatchObject({
      kind: 'page',
      incomingTransfers: [],
      next: `20130 ${blockHash(20_130)} 20110`,
      isAtHead: true,
      asked: [],
    });
  });

  it('is bounded on the way back also where nothing is known to be final', async () => {
    expect(await pageOf({ question: { cursor: null, heights: { ...HEIGHTS, finalized: null } } })).toMatchObject({
      next: `20130 ${blockHash(20_130)} 15130`,
    });
    expect(await pageOf({ question: { cursor: null, heights: { ...HEIGHTS, finalized: 0 } } })).toMatchObject({
      next: `20130 ${blockHash(20_130)} 15130`,
    });
    const byDepth: FinalityRule = {
      ...finality,
      tiers: [{ maxUsdCents: null, tag: 'finalized', minDepth: 0, depthWithoutTag: 100 }],
    };
    expect(
      await pageOf({ rule: byDepth, question: { cursor: null, heights: { ...HEIGHTS, finalized: null } } }),
    ).toMatchObject({ next: `20130 ${blockHash(20_130)} 20030` });
  });

  it('is never farther back than what was final already', async () => {
    expect(
      await pageOf({ question: { cursor: cursorAt(20_100, 20_099), heights: { ...HEIGHTS, finalized: 5 } } }),
    ).toMatchObject({ next: `20130 ${blockHash(20_130)} 20099` });
  });

  it.each([
    [1, 500],
    [2, 250],
    [512, 1],
  ])('is after %i blocks of 500', async (share, blocks) => {
    const page = await pageOf({ question: { cursor: cursorAt(1_000), share } });
    expect(page).toMatchObject({
      kind: 'page',
      isAtHead: false,
      next: expect.stringContaining(`${String(1_000 + blocks)} `),
      asked: [{ fromBlock: hex(1_001), toBlock: hex(1_000 + blocks) }],
    });
  });

  it('is where the chain ends', async () => {
    expect(await pageOf({ question: { cursor: cursorAt(20_130) } })).toMatchObject({
      kind: 'page',
      isAtHead: true,
      asked: [],
    });
    expect(await pageOf({ question: { cursor: cursorAt(20_131) } })).toMatchObject({ kind: 'nothing', why: 'lags' });
    expect(await pageOf({ blocks: { 20_130: null } })).toMatchObject({ kind: 'nothing', why: 'lags' });
  });

  it("is back at what was final where the cursor's block is another one by now", async () => {
    expect(await pageOf({ blocks: { 20_100: blockHash(7) } })).toMatchObject({
      kind: 'reorganised',
      back: `20090 ${blockHash(20_090)} 20090`,
      aboveBlock: 20_090,
      scannedTo: 20_090,
      asked: [],
    });
  });
});

describe('which addresses a page is of', () => {
  it("is asked once its last block was seen, by that block's hash, and before any log is", async () => {
    const seen: string[] = [];
    expect(await pageOf({ seen, question: { cursor: cursorAt(20_100) } })).toMatchObject({
      kind: 'page',
      scannedTo: 20_130,
    });
    expect(seen).toEqual([blockHash(20_130)]);
    await pageOf({ seen, question: { cursor: cursorAt(1_000) } });
    expect(seen[1]).toBe(blockHash(1_500));
  });

  it.each<[string, Partial<PageQuestion>]>([
    ['nothing was looked through yet', { cursor: null }],
    ['there is no new block', { cursor: cursorAt(20_130) }],
  ])('is not asked where %s', async (_what, question) => {
    const seen: string[] = [];
    expect(await pageOf({ seen, question })).toMatchObject({ kind: 'page', scannedTo: 20_130 });
    expect(seen).toEqual([]);
  });
});

describe('what a page tells', () => {
  it('is what the logs say, under the address as it was asked for, each by its place in its transaction', async () => {
    const upper = `0x${OURS.slice(2).toUpperCase()}`;
    const logs = [
      logAt(20_105, { logIndex: '0x9', data: amount(2n) }),
      logAt(20_105, { logIndex: '0x4' }),
      logAt(20_120, { transactionHash: blockHash(1) }),
    ];
    const page = await pageOf({ logs, addresses: [upper] });
    expect(page).toMatchObject({
      kind: 'page',
      isAtHead: true,
      incomingTransfers: [
        {
          transactionId: TX,
          address: upper,
          token: USDC,
          value: 12_500_000n,
          ordinal: 0,
          block: { number: 20_105, hash: blockHash(20_105), timeMs: 20_105 },
        },
        { transactionId: TX, address: upper, value: 2n, ordinal: 1 },
        { transactionId: blockHash(1), address: upper, value: 12_500_000n, ordinal: 0, block: { number: 20_120 } },
      ],
    });
    expect(page.asked).toMatchObject([
      { topics: [expect.anything(), null, [word(OURS)]] },
      { topics: [expect.anything(), [word(OURS)]] },
    ]);
  });

  it('is less what the same transaction took away: the rest of a fee is no incoming transfer', async () => {
    const sent = [logAt(20_105, { ...transferLog({ from: OURS, to: PAYER, value: 12_500_000n }), logIndex: '0x1' })];
    const back = logAt(20_105, { ...transferLog({ value: 3n }), logIndex: '0x2' });
    expect(await pageOf({ logs: [back], sent })).toMatchObject({ kind: 'page', incomingTransfers: [] });
    expect(
      await pageOf({ logs: [logAt(20_105, { ...transferLog({ value: 20_000_000n }), logIndex: '0x2' })], sent }),
    ).toMatchObject({ incomingTransfers: [{ value: 7_500_000n, ordinal: 0 }] });
    const ownToOwn = logAt(20_105, { ...transferLog({ from: OURS }), logIndex: '0x1' });
    expect(await pageOf({ logs: [ownToOwn], sent: [ownToOwn] })).toMatchObject({ incomingTransfers: [] });
  });

  it('has nothing of logs by which nothing moved', async () => {
    const odd = [
      { data: amount(0n) },
      { data: '0x' },
      { data: `${amount(1n)}00` },
      { removed: true },
      { topics: [...(transferLog()['topics'] as string[]), word(PAYER)] },
    ];
    expect(await pageOf({ logs: odd.map((more) => logAt(20_105, more)) })).toMatchObject({
      kind: 'page',
      incomingTransfers: [],
    });
  });

  it.each([
    ['to another address', logAt(20_105, transferLog({ to: PAYER }))],
    ['of another contract', logAt(20_105, { address: PAYER })],
    ['of a block before', logAt(20_100)],
    ['of a block after', logAt(20_131)],
    ['without topics', logAt(20_105, { topics: undefined })],
    ['without a place', logAt(20_105, { logIndex: undefined })],
    ['that is none', 7],
  ])('is nothing where a log %s is among them', async (_what, log) => {
    await expect(pageOf({ logs: [logAt(20_105), log] })).rejects.toThrow(/malformed/);
  });

  it.each<[string, Fixture]>([
    ['the last block is another one after the logs were read', { after: { 20_130: blockHash(7) } }],
    ['a log is of a block that is none of the chain', { logs: [logAt(20_105, { blockHash: blockHash(7) })] }],
    [
      'two logs are of two blocks with one number',
      { logs: [logAt(20_105, { blockHash: blockHash(7), logIndex: '0x1' }), logAt(20_105)] },
    ],
  ])('is nothing where %s', async (_what, fixture) => {
    expect(await pageOf({ logs: [logAt(20_105)], ...fixture })).toMatchObject({
      kind: 'nothing',
      why: 'the chain is moving',
    });
  });

  it('is too much where it has more blocks than are read', async () => {
    const logs = Array.from({ length: 101 }, (_, index) => logAt(20_001 + index, { logIndex: '0x0' }));
    expect(await pageOf({ logs, question: { cursor: cursorAt(20_000) } })).toMatchObject({ kind: 'too_large' });
    expect(await pageOf({ logs: logs.slice(1), question: { cursor: cursorAt(20_000) } })).toMatchObject({
      kind: 'page',
    });
  });

  it('has as many transactions as one block holds', async () => {
    const logs = Array.from({ length: 500 }, (_, index) =>
      logAt(20_101, { transactionHash: `0x${index.toString(16).padStart(64, '0')}`, logIndex: hex(index) }),
    );
    expect(await pageOf({ logs })).toMatchObject({ kind: 'page', incomingTransfers: { length: 500 } });
  });

  it.each(['too_large', 'refused', 'late', 'rate_limited', 'http_status'] as const)(
    'is too much where an endpoint answers %s, unless it is one block',
    async (trouble) => {
      expect(await pageOf({ logs: new RpcError(trouble) })).toMatchObject({ kind: 'too_large' });
      await expect(pageOf({ logs: new RpcError(trouble), question: { share: 512 } })).rejects.toThrow(RpcError);
    },
  );

  it('is not there where the endpoint is not', async () => {
    await expect(pageOf({ logs: new RpcError('no_connection') })).rejects.toThrow(RpcError);
    await expect(pageOf({ logs: { amount: amount(1n) } })).rejects.toThrow(/malformed/);
  });
});
