import type { BlockReference, ChainHeights, FinalityRule } from '@vuka/domain';

import type { IncomingTransfer, ScanCursor } from '../deposit-reader.js';
import { pageDigest } from '../reader/agreement.js';
import { RpcError, type EndpointClient } from '../reader/endpoint-client.js';
import type { PageQuestion, PageTestimony } from '../reader/endpoint.js';
import { MalformedAnswerError, objectAt, type JsonObject } from '../reader/json-values.js';
import { someAtOnce } from '../reader/some-at-once.js';

import { incomingOf, movedBy, TRANSFER, type Moved } from './receipt.js';
import { addressAt, hashAt, quantityAt } from './rpc-values.js';

const MOST_BLOCKS = 500;
const ADDRESSES_AT_ONCE = 500;
const FILTERS_AT_ONCE = 4;
const MOST_BLOCKS_READ = 100;
const READ_AT_ONCE = 8;
/** Without finality at the first scan, reorganisations are followed this far. */
const FARTHEST_BACK = 5_000;
const CURSOR = /^(\d{1,15}) (0x[0-9a-f]{64}) (\d{1,15})$/;

export interface PageSource {
  readonly client: EndpointClient;
  /** Lower case. */
  readonly listed: ReadonlySet<string>;
  readonly finality: FinalityRule;
  /** Undefined if the endpoint has no such block yet. */
  readonly blockAt: (number: number) => Promise<BlockReference | undefined>;
}

/** `final`: a reorganisation never goes back below this block. */
interface Place {
  readonly number: number;
  readonly hash: string;
  readonly final: number;
}

interface Found extends Moved {
  readonly transactionId: string;
  readonly block: Pick<BlockReference, 'number' | 'hash'>;
}

const textOf = ({ number, hash, final }: Place): ScanCursor => `${String(number)} ${hash} ${String(final)}`;
const nothing = (why: string): PageTestimony => ({ kind: 'nothing', why });

/**
 * The last block is read before and after `eth_getLogs`, so that no log of another fork is reported.
 * Addresses are read in between: one added later cannot be paid in these blocks. After a reorganisation the
 * next page goes back.
 * No receipts: one oversized receipt would stop the scan. So the ordinal counts transfers of the transaction
 * to the same address.
 * Throws RpcError, MalformedAnswerError; TypeError on a foreign cursor.
 */
export async function scanPage(
  { cursor, addresses, heights, share }: PageQuestion,
  source: PageSource,
): Promise<PageTestimony> {
  const from = cursor === null ? undefined : placeOf(cursor);
  const to =
    from === undefined ? heights.latest : Math.min(heights.latest, from.number + Math.ceil(MOST_BLOCKS / share));
  if (from !== undefined && to < from.number) return nothing('lags');
  const [begun, head] = await Promise.all([
    from === undefined ? undefined : source.blockAt(from.number),
    source.blockAt(to),
  ]);
  if (head === undefined || (from !== undefined && begun === undefined)) return nothing('lags');
  if (from !== undefined && begun?.hash !== from.hash) return goBack(from, source);
  const place: Place = {
    number: to,
    hash: head.hash,
    final: Math.max(from?.final ?? to - FARTHEST_BACK, Math.min(to, finalHeight(source.finality, heights)), 0),
  };
  const isAtHead = to === heights.latest;
  const page = (incomingTransfers: readonly IncomingTransfer[]): PageTestimony =>
    told({ incomingTransfers, next: textOf(place), isAtHead, scannedTo: head.timeMs });
  if (from === undefined || to === from.number) return page([]);
  const ours = await addresses(head.hash);
  const found = await logsOf(source, ours, from.number + 1, to);
  if (found === 'too_large') return { kind: 'too_large' };
  if ((await source.blockAt(to))?.hash !== head.hash) return nothing('the chain is moving');
  const blocks = new Map(found.map(({ block }) => [block.number, block.hash]));
  if (blocks.size > MOST_BLOCKS_READ && to > from.number + 1) return { kind: 'too_large' };
  const times = await timesOf(blocks, source);
  return times === undefined || found.some(({ block }) => blocks.get(block.number) !== block.hash)
    ? nothing('the chain is moving')
    : page(incomingTransfersOf(found, ours, times));
}

function told(page: Omit<Extract<PageTestimony, { kind: 'page' }>, 'kind' | 'digest'>): PageTestimony {
  return { kind: 'page', ...page, digest: pageDigest(page) };
}

async function goBack({ final }: Place, source: PageSource): Promise<PageTestimony> {
  const block = await source.blockAt(final);
  if (block === undefined) return nothing('lags');
  const page = { back: textOf({ number: final, hash: block.hash, final }), aboveBlock: final, scannedTo: block.timeMs };
  return { kind: 'reorganised', ...page, digest: pageDigest(page) };
}

function placeOf(cursor: ScanCursor): Place {
  const [, number, hash, final] = CURSOR.exec(cursor) ?? [];
  if (number === undefined || hash === undefined || final === undefined)
    throw new TypeError('a cursor of another kind');
  return { number: Number(number), hash, final: Number(final) };
}

/** Final for any value, by the last tier. */
function finalHeight({ tiers }: FinalityRule, { latest, finalized }: ChainHeights): number {
  const last = tiers.at(-1);
  if (last === undefined) throw new Error('a finality rule ends with a tier without limit');
  return Math.max(0, Math.min(latest - last.minDepth, finalized ?? latest - (last.depthWithoutTag ?? latest)));
}

async function logsOf(
  source: PageSource,
  addresses: readonly string[],
  from: number,
  to: number,
): Promise<readonly Found[] | 'too_large'> {
  const words = [...new Set(addresses.map((address) => wordOf(address.toLowerCase())))];
  const chunks = Array.from({ length: Math.ceil(words.length / ADDRESSES_AT_ONCE) }, (_, chunk) =>
    words.slice(chunk * ADDRESSES_AT_ONCE, (chunk + 1) * ADDRESSES_AT_ONCE),
  );
  const found = await someAtOnce(chunks, FILTERS_AT_ONCE, (chunk) => movedWith(source, chunk, from, to));
  if (found.includes('too_large')) return 'too_large';
  // Found twice if both are ours.
  return [
    ...new Map(
      found
        .flatMap((some) => (some === 'too_large' ? [] : some))
        .map((one) => [`${String(one.block.number)} ${String(one.ordinal)}`, one]),
    ).values(),
  ];
}

async function movedWith(
  source: PageSource,
  words: readonly string[],
  from: number,
  to: number,
): Promise<readonly Found[] | 'too_large'> {
  const came = await logsWith(source, [TRANSFER, null, words], from, to);
  if (came === 'too_large' || came.length === 0) return came;
  const went = await logsWith(source, [TRANSFER, [...new Set(came.map((one) => wordOf(one.to)))], null], from, to);
  return went === 'too_large' ? went : [...came, ...went];
}

const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`;

type Topics = readonly [string, readonly string[] | null, readonly string[] | null];

async function logsWith(
  { client, listed }: PageSource,
  topics: Topics,
  from: number,
  to: number,
): Promise<readonly Found[] | 'too_large'> {
  const answer = await asked(client, {
    fromBlock: hexOf(from),
    toBlock: hexOf(to),
    address: [...listed],
    topics: topics[2] === null ? topics.slice(0, 2) : topics,
  });
  if (answer === 'too_large') {
    if (to > from) return 'too_large';
    throw new RpcError('too_large');
  }
  if (!Array.isArray(answer)) throw new MalformedAnswerError('logs');
  return answer.flatMap((log) => foundIn(objectAt(log, 'log'), { listed, topics, from, to }) ?? []);
}

const hexOf = (number: number): string => `0x${number.toString(16)}`;

/** Providers report "too much" in many ways, some like "not now". */
async function asked(client: EndpointClient, filter: object): Promise<unknown> {
  try {
    return await client.call('eth_getLogs', [filter]);
  } catch (error) {
    const isTooMuch =
      error instanceof RpcError &&
      ['too_large', 'refused', 'late', 'rate_limited', 'http_status'].includes(error.trouble);
    if (isTooMuch) return 'too_large';
    throw error;
  }
}

function foundIn(
  log: JsonObject,
  {
    listed,
    topics: [, senders, recipients],
    from,
    to,
  }: { readonly listed: ReadonlySet<string>; readonly topics: Topics; readonly from: number; readonly to: number },
): Found | undefined {
  const number = quantityAt(log['blockNumber'], 'log.blockNumber');
  const told = log['topics'];
  const [, sender, recipient] = Array.isArray(told) ? told.map((word) => hashAt(word, 'log.topics')) : [];
  const isAskedFor =
    isAmong(senders, sender) &&
    isAmong(recipients, recipient) &&
    listed.has(addressAt(log['address'], 'log.address')) &&
    number >= from &&
    number <= to;
  if (!isAskedFor) throw new MalformedAnswerError('a log that was not asked for');
  const moved = movedBy(log, quantityAt(log['logIndex'], 'log.logIndex'));
  return (
    moved && {
      ...moved,
      transactionId: hashAt(log['transactionHash'], 'log.transactionHash'),
      block: { number, hash: hashAt(log['blockHash'], 'log.blockHash') },
    }
  );
}

const isAmong = (words: readonly string[] | null, word: string | undefined): boolean =>
  words === null || (word !== undefined && words.includes(word));

/** undefined if a block is not on the chain. */
async function timesOf(
  blocks: ReadonlyMap<number, string>,
  { blockAt }: PageSource,
): Promise<ReadonlyMap<number, number> | undefined> {
  const times = new Map<number, number>();
  const numbers = [...blocks.keys()];
  for (const block of await someAtOnce(numbers, READ_AT_ONCE, blockAt)) {
    if (block === undefined || blocks.get(block.number) !== block.hash) return undefined;
    times.set(block.number, block.timeMs);
  }
  return times;
}

function incomingTransfersOf(
  found: readonly Found[],
  addresses: readonly string[],
  times: ReadonlyMap<number, number>,
): readonly IncomingTransfer[] {
  const inOrder = [...found].sort((a, b) => a.block.number - b.block.number || a.ordinal - b.ordinal);
  const byTransaction = new Map<string, Found[]>();
  for (const one of inOrder) {
    const others = byTransaction.get(one.transactionId);
    if (others === undefined) byTransaction.set(one.transactionId, [one]);
    else others.push(one);
  }
  const spelt = new Map(addresses.map((address) => [address.toLowerCase(), address]));
  return [...byTransaction.values()].flatMap((moved) => arrivedBy(moved, spelt, times));
}

function arrivedBy(
  moved: readonly Found[],
  spelt: ReadonlyMap<string, string>,
  times: ReadonlyMap<number, number>,
): IncomingTransfer[] {
  const [first] = moved;
  if (first === undefined) return [];
  const { transactionId, block } = first;
  const ours = [...new Set(moved.map(({ to }) => to))].flatMap((to) => (spelt.has(to) ? [to] : []));
  return ours.flatMap((to) => {
    const places = new Map(moved.filter((one) => one.to === to).map(({ ordinal }, place) => [ordinal, place]));
    return incomingOf(moved, to).map((transfer) => ({
      ...transfer,
      ordinal: places.get(transfer.ordinal) ?? 0,
      transactionId,
      address: spelt.get(to) ?? to,
      block: { ...block, timeMs: times.get(block.number) ?? 0 },
    }));
  });
}
