import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { muxedAddress } from '../address/stellar-address.js';
import type { IncomingTransfer, Scan } from '../deposit-reader.js';
import type { ChainReader } from '../reader/chain-reader.js';
import { SANDBOX_STELLAR_FAKE_ISSUER, type StellarSend } from '../sandbox/stellar/sandbox-stellar.js';
import { keyOf, startStellarNode, type SpecNode } from '../sandbox/stellar/stellar-node.spec-support.js';

import { HorizonProxy, readerOf } from './stellar-fixture.spec-support.js';

const ACCOUNT = keyOf('settlement').publicKey();
const EARLIER = keyOf('the one before').publicKey();
const OURS = muxedAddress(ACCOUNT, 420n);
const ALSO_OURS = muxedAddress(ACCOUNT, 421n);
const OLD = muxedAddress(EARLIER, 420n);

let node: SpecNode;
let proxy: HorizonProxy;
let reader: ChainReader;
beforeAll(async () => {
  node = await startStellarNode();
  proxy = await new HorizonProxy(node.url).start();
  ({ reader } = await readerOf([proxy.url], 1));
});
beforeEach(() => {
  proxy.change = (_path, answer) => answer;
});
afterAll(async () => {
  await reader.close();
  await proxy.stop();
  await node.stop();
});

const scan = (cursor: string | null, addresses = [OURS, ALSO_OURS]): Promise<Scan> =>
  reader.scan(cursor, async () => addresses, Date.now() + 20_000);
async function page(cursor: string | null, addresses?: string[]): Promise<Extract<Scan, { kind: 'page' }>> {
  const scanned = await scan(cursor, addresses);
  if (scanned.kind !== 'page') throw new Error(JSON.stringify(scanned));
  return scanned;
}
async function send(
  amount: string,
  more: Partial<StellarSend> & { to?: string; asset?: string } = {},
): Promise<string> {
  const { to = ACCOUNT, asset = 'USDC', ...rest } = more;
  const result = await node.hands.send({ payments: [{ asset, amount, to }], ...rest });
  if (!result.ok) throw new Error(result.error);
  return result.value.hash;
}
const told = ({ address, value }: IncomingTransfer): [string, bigint] => [address, value];

describe('incoming transfers at an account of Stellar', () => {
  it('are told once each, by whom they were for, and of the account itself where that is nobody', async () => {
    const begun = await page(null);
    expect(begun).toMatchObject({ incomingTransfers: [], isAtHead: true });
    const first = await send('1', { memo: '420' });
    await send('2', { to: ALSO_OURS });
    await send('3');
    await send('4', { memo: { type: 'text', value: '420' } });
    await send('5', { to: OURS, memo: '421' });
    await send('6', { memo: '999' });
    const bumped = await send('7', { to: OURS, feeBump: true });
    const after = await page(begun.next);
    expect(after.incomingTransfers.map(told)).toEqual([
      [OURS, 10_000_000n],
      [ALSO_OURS, 20_000_000n],
      ...[3n, 4n, 5n, 6n].map((n): [string, bigint] => [ACCOUNT, n * 10_000_000n]),
      [OURS, 70_000_000n],
    ]);
    expect(after.isAtHead).toBe(true);
    expect(after.incomingTransfers.at(-1)!.transactionId).toBe(bumped);
    const sighting = await reader.read(first, OURS, Date.now() + 5_000);
    if (sighting.kind !== 'found') throw new Error(sighting.kind);
    expect(after.incomingTransfers[0]).toEqual({
      ...sighting.transfers[0],
      transactionId: first,
      address: OURS,
      block: sighting.block,
    });
    expect((await page(after.next)).incomingTransfers).toEqual([]);
  });

  it('are missed by no page where their number is given while one is read, and pages tell the time of the ledger they come to', async () => {
    const [begun, later] = [await page(null), muxedAddress(ACCOUNT, 77n)];
    await send('1', { to: OURS });
    const first = await reader.scan(
      begun.next,
      async () => (await send('2', { to: later }), [OURS]),
      Date.now() + 20_000,
    );
    if (first.kind !== 'page') throw new Error(JSON.stringify(first));
    expect(first.incomingTransfers.map(told)).toEqual([[OURS, 10_000_000n]]);
    expect(first.scannedTo).toBeGreaterThanOrEqual(
      Math.max(begun.scannedTo ?? Infinity, first.incomingTransfers[0]!.block.timeMs),
    );
    expect((await page(first.next, [OURS, later])).incomingTransfers.map(told)).toEqual([[later, 20_000_000n]]);
  });

  it('are of listed assets alone, and never of what failed, waits to be claimed or went out', async () => {
    const { next } = await page(null);
    await send('1', { asset: `USDC:${SANDBOX_STELLAR_FAKE_ISSUER}`, to: OURS });
    await send('1', { asset: 'XLM', to: OURS });
    await send('1', { to: OURS, fails: true });
    await send('1', { from: ACCOUNT, to: keyOf('another').publicKey() });
    await node.hands.send({ payments: [{ asset: 'USDC', amount: '1', to: ACCOUNT, kind: 'claimable' }] });
    await send('1', { asset: 'EURC', to: OURS });
    expect((await page(next)).incomingTransfers.map(({ token }) => token)).toEqual([expect.stringMatching(/^EURC:/)]);
  });

  it('are found for several accounts by one cursor', async () => {
    const { next } = await page(null);
    await send('1', { to: OLD });
    await send('2', { to: OURS });
    const both = await page(next, [OURS, OLD]);
    expect(both.incomingTransfers.map(told).sort()).toEqual(
      [
        [OLD, 10_000_000n],
        [OURS, 20_000_000n],
      ].sort(),
    );
    expect((await page(both.next, [OURS, OLD])).incomingTransfers).toEqual([]);
  });

  it('are none where there is no such account yet', async () => {
    const nowhere = muxedAddress(keyOf('nowhere').publicKey(), 1n);
    expect(await page((await page(null)).next, [nowhere])).toMatchObject({ incomingTransfers: [], isAtHead: true });
  });

  it('are not passed over where pages are full, too large, or not what was asked for', async () => {
    let cursor = (await page(null)).next;
    const amounts = Array.from({ length: 5 }, (_, index) => String(index + 1));
    for (const amount of amounts) await send(amount, { to: OURS });
    const askedBefore = proxy.asked.length;
    proxy.change = (path, answer) => {
      const records = (answer.body as { _embedded?: { records: unknown[] } })._embedded?.records;
      return path.endsWith('/payments') && records !== undefined && records.length > 2
        ? { status: 200, body: 'x'.repeat(9_000_000) }
        : answer;
    };
    const found: bigint[] = [];
    for (let pages = 1, isAtHead = false; !isAtHead && pages < 10; pages += 1) {
      const scanned = await page(cursor);
      found.push(...scanned.incomingTransfers.map(({ value }) => value));
      ({ next: cursor, isAtHead } = scanned);
    }
    expect(found).toEqual(amounts.map((amount) => BigInt(amount) * 10_000_000n));
    expect(proxy.asked.slice(askedBefore).filter((path) => path.endsWith('/payments')).length).toBeGreaterThan(3);
    await send('9', { to: OURS });
    proxy.change = (path, answer) => {
      const { _embedded: embedded } = answer.body as { _embedded?: { records: unknown[] } };
      return path.endsWith('/payments') && embedded !== undefined
        ? { status: 200, body: { _embedded: { records: [...embedded.records, ...embedded.records] } } }
        : answer;
    };
    expect(await scan(cursor)).toMatchObject({
      kind: 'trouble',
      reason: expect.stringContaining('a page that was not asked for'),
    });
    proxy.change = (path, answer) =>
      path.endsWith('/payments')
        ? { status: 410, body: { type: 'https://stellar.org/horizon-errors/before_history', status: 410 } }
        : answer;
    expect(await scan(cursor)).toMatchObject({ kind: 'trouble', reason: expect.stringContaining('http_status: 410') });
    proxy.change = (_path, answer) => answer;
    expect((await page(cursor)).incomingTransfers.map(told)).toEqual([[OURS, 90_000_000n]]);
  });

  it('of a cursor that is none are a bug', async () => {
    await expect(scan('12 34')).rejects.toThrow(TypeError);
  });
});
