import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLogger } from '@vuka/runtime';

import type { IncomingTransfer, Scan, ScanCursor } from '../deposit-reader.js';
import { hang, refuseWith, type Misbehaviour } from '../evm/fake-rpc.spec-support.js';
import { Proxy } from '../evm/proxy.spec-support.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { SOLANA, startSolanaNode, USDC, type StartedNode } from '../sandbox/solana/solana-node.spec-support.js';
import { createSolanaReader } from './solana-reader.js';
import { newOwner } from './wallet.spec-support.js';

jest.setTimeout(30_000);

const log = createLogger('test', { level: 'silent' });
let asked = 0;
const clock = { now: () => new Date(), monotonicMs: () => (asked += 1_000) };
const USDT = SOLANA.tokens.find(({ symbol }) => symbol === 'USDT')!;
const PYUSD = SOLANA.tokens.find(({ program }) => program === 'token-2022')!;
const MOST_PAGES = 40;

let folder: string;
let node: StartedNode;
let proxies: Proxy[];
let reader: ChainReader;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vuka-solana-scan-'));
  node = await startSolanaNode(folder);
  proxies = await Promise.all([1, 2, 3].map(() => new Proxy(node.url).start()));
  reader = await createSolanaReader({ chain: SOLANA, endpoints: proxies.map(({ url }) => url), agree: 2, log, clock });
}, 30_000);
afterEach(async () => {
  for (const proxy of proxies) proxy.honest();
  await node.hands.stallFinality(false);
});
afterAll(async () => {
  await reader.close();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  await node.stop();
  await rm(folder, { recursive: true, force: true });
});

const sent = async (to: string, { asset = 'USDC', amount = '1', mine = true } = {}): Promise<string> => {
  const result = await node.hands.transfer({ asset, amount, to, mine });
  if (!result.ok) throw new Error(result.error);
  return result.value.hash;
};
const scan = async (cursor: ScanCursor | null, owners: readonly string[]): Promise<Extract<Scan, { kind: 'page' }>> => {
  const page = await reader.scan(cursor, async () => owners, Date.now() + 30_000);
  if (page.kind !== 'page') throw new Error(JSON.stringify(page));
  return page;
};
const toHead = async (
  start: ScanCursor,
  owners: readonly string[],
): Promise<{ incomingTransfers: IncomingTransfer[]; next: ScanCursor; pages: number }> => {
  const incomingTransfers: IncomingTransfer[] = [];
  for (let [next, pages] = [start, 1]; pages <= MOST_PAGES; pages += 1) {
    const page = await scan(next, owners);
    incomingTransfers.push(...page.incomingTransfers);
    next = page.next;
    if (page.isAtHead) return { incomingTransfers, next, pages };
  }
  throw new Error('no end');
};
const begin = async (): Promise<ScanCursor> => (await scan(null, [])).next;
const hashes = (incomingTransfers: readonly IncomingTransfer[]): string[] =>
  incomingTransfers.map(({ transactionId }) => transactionId).sort();
/** For one transaction. */
const refusing =
  (hash: () => string | undefined): Misbehaviour =>
  (request, response) =>
    request.method === 'getTransaction' && request.params[0] === hash() && refuseWith(-32015)(request, response);

describe('incoming transfers on Solana', () => {
  it('are all that came from now on, once each, whoever they came to', async () => {
    const owners = Array.from({ length: 9 }, newOwner);
    await sent(owners[0]!);
    const start = await begin();
    const expected = [
      await sent(owners[0]!),
      await sent(owners[4]!, { asset: 'USDT', amount: '7.5' }),
      await sent(owners[8]!, { asset: 'PYUSD' }),
      await sent(owners[8]!),
    ];
    await sent(newOwner());
    const { incomingTransfers, next, pages } = await toHead(start, owners);
    expect(pages).toBe(1);
    expect(hashes(incomingTransfers)).toEqual([...expected].sort());
    expect(incomingTransfers.map(({ address, token, value }) => [address, token, value])).toEqual(
      expect.arrayContaining([
        [owners[4], USDT.address, 7_500_000n],
        [owners[8], PYUSD.address, 1_000_000n],
        [owners[8], USDC.address, 1_000_000n],
      ]),
    );
    const [one] = incomingTransfers;
    const sighting = await reader.read(one!.transactionId, one!.address, Date.now() + 10_000);
    expect(sighting).toMatchObject({
      kind: 'found',
      block: one!.block,
      transfers: [{ token: one!.token, from: one!.from, value: one!.value, ordinal: one!.ordinal }],
    });
    expect((await toHead(next, owners)).incomingTransfers).toEqual([]);
  });

  it('are told when they are final, and not before', async () => {
    const owner = newOwner();
    const start = await begin();
    await node.hands.stallFinality(true);
    const [gone, stays] = [await sent(owner), await sent(owner, { amount: '2' })];
    const before = await toHead(start, [owner]);
    expect(before.incomingTransfers).toEqual([]);
    await node.hands.drop(gone);
    await node.hands.stallFinality(false);
    // Remaining transfers are in a later slot.
    expect((await toHead(before.next, [owner])).incomingTransfers).toEqual([]);
    await node.hands.mine(40);
    expect(hashes((await toHead(before.next, [owner])).incomingTransfers)).toEqual([stays]);
  });

  it('are all found where more came than a page has room for, also while more comes', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const start = await begin();
    const expected: string[] = [];
    for (let each = 0; each < 55; each += 1) expected.push(await sent(owner, { mine: false }));
    await node.hands.mine(40);
    const first = await scan(start, [owner, other]);
    expect(first.incomingTransfers).toHaveLength(48);
    expect(first.isAtHead).toBe(false);
    for (let each = 0; each < 10; each += 1) expected.push(await sent(owner, { mine: false }));
    expected.push(await sent(other));
    const { incomingTransfers, next } = await toHead(first.next, [owner, other]);
    expect(hashes([...first.incomingTransfers, ...incomingTransfers])).toEqual([...expected].sort());
    expect(JSON.parse(next)).toMatchObject({ length: 6, 5: [] });
  });

  it('of an address that is given later are found from its first one on', async () => {
    const owners = Array.from({ length: 6 }, newOwner).sort();
    const start = await begin();
    const before = await sent(owners[5]!);
    const first = await scan(start, owners.slice(1));
    expect(hashes(first.incomingTransfers)).toEqual([before]);
    const hash = await sent(owners[0]!);
    expect(hashes((await toHead(first.next, owners)).incomingTransfers)).toEqual([hash]);
  });

  it('of an address that is given while a page is read are missed by none, and only accounts that are there are asked for transactions', async () => {
    const [owner, later, start] = [newOwner(), newOwner(), await begin()];
    await sent(owner);
    let hash = '';
    const given = async (): Promise<readonly string[]> => (
      (hash = await sent(later)),
      [owner, ...Array.from({ length: 150 }, newOwner)]
    );
    const asked: string[] = [];
    proxies[0]!.misbehave = ({ method }) => (asked.push(method), false);
    const first = await reader.scan(start, given, Date.now() + 30_000);
    if (first.kind !== 'page') throw new Error(JSON.stringify(first));
    expect(first).toMatchObject({
      incomingTransfers: [{ address: owner }],
      isAtHead: true,
      scannedTo: expect.any(Number),
    });
    expect(first.scannedTo).toBeGreaterThanOrEqual(first.incomingTransfers[0]!.block.timeMs);
    const calls = (method: string): number => asked.filter((one) => one === method).length;
    expect([calls('getMultipleAccounts'), calls('getSignaturesForAddress')]).toEqual([
      Math.ceil((151 * SOLANA.tokens.length) / 100),
      2,
    ]);
    expect(hashes((await toHead(first.next, [owner, later])).incomingTransfers)).toEqual([hash]);
  });

  it('that cannot be read are not forgotten, and keep nobody else waiting, at the same account neither', async () => {
    const [owner, other] = [newOwner(), newOwner()];
    const start = await begin();
    const older = await sent(owner);
    const hidden = await sent(owner);
    const newer = await sent(owner);
    const others = await sent(other);
    for (const proxy of proxies) proxy.misbehave = refusing(() => hidden);
    const first = await toHead(start, [owner, other]);
    expect(hashes(first.incomingTransfers)).toEqual([older, newer, others].sort());
    const again = await toHead(first.next, [owner, other]);
    expect(again.incomingTransfers).toEqual([]);
    const late = [await sent(other), await sent(owner)];
    const later = await toHead(again.next, [owner, other]);
    expect(hashes(later.incomingTransfers)).toEqual(late.sort());
    for (const proxy of proxies) proxy.honest();
    expect(hashes((await toHead(later.next, [owner, other])).incomingTransfers)).toEqual([hidden]);
  });

  it('are what two endpoints tell, whatever the third does', async () => {
    const owner = newOwner();
    const start = await begin();
    const hash = await sent(owner);
    for (const hurt of [
      (proxy: Proxy) => (proxy.misbehave = hang),
      (proxy: Proxy) => (proxy.change = (method, result) => (method === 'getSignaturesForAddress' ? [] : result)),
      (proxy: Proxy) =>
        (proxy.change = (method, result) =>
          method === 'getTransaction'
            ? JSON.parse(JSON.stringify(result).replaceAll('"amount":"1000000"', '"amount":"900000000"'))
            : result),
    ]) {
      hurt(proxies[0]!);
      expect(hashes((await toHead(start, [owner])).incomingTransfers)).toEqual([hash]);
      proxies[0]!.honest();
    }
    for (const proxy of proxies.slice(1))
      proxy.change = (method, result) => (method === 'getSignaturesForAddress' ? [] : result);
    proxies[2]!.misbehave = refuseWith(-32016);
    expect(await reader.scan(start, async () => [owner], Date.now() + 30_000)).toMatchObject({ kind: 'trouble' });
  });
});
