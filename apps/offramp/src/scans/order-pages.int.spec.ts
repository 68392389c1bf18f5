import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedTokens, chainNamed, type EvmChain } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { createLogger, ManualClock, WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { AddressStore } from '../addresses/address.store.js';
import { ScanStore } from '../incoming-transfers/scan.store.js';
import type { ScannedPage, ToldIncomingTransfer } from '../chains/chain-reader.js';
import {
  hashOf,
  ScriptedReader,
  SENDER,
  startTestDatabase,
  type TestDatabase,
} from '../testing/offramp.spec-support.js';
import { type OpensClaims, RecordPage } from './record-page.js';
import { AWAITED_EVERY_MS, CLOSED_EVERY_MS, SCAN_EVERY_MS, ScanChains } from './scan-chains.js';
import { WATCH_OVERLAP_MS, WatchedAddresses } from './watched-addresses.js';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const [MINUTE, DAY] = [60_000, 24 * 3_600_000];
const CELO = chainNamed('CELO') as EvmChain;
const USDC = acceptedTokens(CELO).find(({ symbol }) => symbol === 'USDC')!.address;
/** The first is a partner's. */
const OURS = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000A2',
  '0x00000000000000000000000000000000000000A3',
] as const;
const log = createLogger('test', { level: 'silent' });

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let reader: ScriptedReader;
let handedOn: string[][];
let opens: boolean;
let claims: WakeSignal;
let numbers = 5_000;

beforeAll(async () => {
  // Other suites' transactions would change what counts as new.
  database = await startTestDatabase({ alone: true });
  db = await database.connect();
}, 60_000);
afterAll(() => database.stop());
beforeEach(async () => {
  await db.query('truncate scan_cursors, incoming_transfers, deposit_addresses, claims, deposits, order_watches');
  [clock, reader, handedOn, opens, claims] = [new ManualClock(NOW), new ScriptedReader(), [], false, new WakeSignal()];
  await new AddressStore(db).insertUnlessPresent(1, 'evm', {
    address: OURS[0],
    index: 1,
    keyId: 'key',
    createdAt: NOW,
  });
});

const orders: OpensClaims = {
  open: async (_tx, _chain, incomingTransfers) => {
    handedOn.push(incomingTransfers.map(({ transactionHash }) => transactionHash));
    return opens;
  },
};

const scanner = (): ScanChains =>
  new ScanChains(
    new ScanStore(db),
    new WatchedAddresses(db),
    new RecordPage(db, orders, claims, clock, log),
    new Map([['CELO', { chain: CELO, reader }]]),
    clock,
    log,
  );

async function round(process: ScanChains): Promise<void> {
  await process.tick();
  await process.drain();
}

const incomingTransfer = (n: number, block = n, fork = 'a'): ToldIncomingTransfer => ({
  transactionId: hashOf(n),
  address: OURS[1],
  token: USDC,
  from: SENDER,
  value: 1_000_000n,
  ordinal: 0,
  block: { number: block, hash: `0x${fork.repeat(64)}`, timeMs: NOW.getTime() },
});
const page = (
  next: string,
  incomingTransfers: readonly ToldIncomingTransfer[],
  isAtHead = false,
  scannedTo: number | null = null,
): ScannedPage => ({ kind: 'page', incomingTransfers, next, isAtHead, scannedTo });
const at = (ms: number): number => NOW.getTime() + ms;

async function order(
  address: string,
  {
    chain = 'CELO',
    endsIn = 7 * MINUTE,
    tx = db,
  }: { readonly chain?: string; readonly endsIn?: number; readonly tx?: Pick<Database, 'query'> } = {},
): Promise<void> {
  await tx.query(
    `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at, watch_until, correlation_id, causation_id)
     values ($1, 1, $2, 'USDC', 'KES', 1, '1', 1, 'evm', $3, $4, $5, $6, 'c', 'c')`,
    [(numbers += 1), chain, address, NOW, new Date(at(endsIn)), new Date(at(endsIn + DAY))],
  );
}

const lastScan = (): readonly string[] | undefined => reader.scans.at(-1)?.addresses;
const scannedTo = async (): Promise<Date | null | undefined> =>
  (await db.query<{ at: Date | null }>(`select scanned_to as at from scan_cursors where chain = 'CELO'`))[0]?.at;

describe('orders', () => {
  it("have what is new for them handed on in the page's commit, and who looks at claims is woken", async () => {
    let woken = 0;
    claims.notify = () => void (woken += 1);
    reader.pages.set('', page('10', []));
    reader.pages.set('10', page('20', [incomingTransfer(11)]));
    reader.pages.set('20', page('30', [incomingTransfer(11), incomingTransfer(12)]));
    reader.pages.set('30', page('40', [incomingTransfer(12, 14, 'c')]));
    reader.pages.set('40', page('50', [incomingTransfer(12, 14, 'c')], true));
    opens = true;
    for (let turn = 0; turn < 5; turn += 1) await round(scanner());
    expect([handedOn, woken]).toEqual([[[hashOf(11)], [hashOf(12)], [hashOf(12)]], 3]);
  });

  it('see how far in time their chain was looked through, which goes back with a reorganisation alone', async () => {
    reader.pages.set('', page('10', [], false, at(1_000)));
    reader.pages.set('10', page('20', [], false, null));
    reader.pages.set('20', page('30', [], false, at(500)));
    reader.pages.set('30', { kind: 'reorganised', back: '25', aboveBlock: 25, scannedTo: at(200) });
    const seen: number[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      await round(scanner());
      seen.push((await scannedTo())!.getTime() - NOW.getTime());
    }
    expect(seen).toEqual([1_000, 1_000, 1_000, 200]);
  });

  it('have their addresses in each page, on all chains of the family, and their own chain looked at often until it is past their end', async () => {
    const process = scanner();
    await order(OURS[1]);
    await order(OURS[2], { chain: 'BASE' });
    const end = 7 * MINUTE + 30_000;
    reader.pages.set('', page('10', [], true, at(0)));
    reader.pages.set('10', page('20', [], true, at(end)));
    reader.pages.set('20', page('30', [], true, at(end + 1)));
    await round(process);
    clock.advance(SCAN_EVERY_MS);
    await round(process);
    expect(lastScan()).toEqual([OURS[0], OURS[1], OURS[2]]);
    clock.advance(AWAITED_EVERY_MS);
    await round(process);
    expect(reader.scans).toHaveLength(3);
    clock.advance(AWAITED_EVERY_MS);
    await round(process);
    expect(reader.scans).toHaveLength(3);
    clock.advance(SCAN_EVERY_MS - AWAITED_EVERY_MS);
    await round(process);
    expect(reader.scans).toHaveLength(4);
  });

  it('that are over are checked for once a day, by a cursor of its own that begins where the first one stood', async () => {
    const process = scanner();
    reader.pages.set('', page('10', [], true, at(0)));
    await order(OURS[1]);
    await round(process);
    clock.advance(SCAN_EVERY_MS);
    reader.pages.set('10', page('10', [], true, at(DAY + 7 * MINUTE + WATCH_OVERLAP_MS - 1)));
    await round(process);
    expect(lastScan()).toEqual([OURS[0], OURS[1]]);
    reader.pages.set('10', page('10', [], true, at(DAY + 7 * MINUTE + WATCH_OVERLAP_MS)));
    clock.advance(CLOSED_EVERY_MS - 1);
    await round(process);
    expect(lastScan()).toEqual([OURS[0], OURS[1]]);
    const asked = reader.scans.length;
    clock.advance(SCAN_EVERY_MS);
    await round(process);
    expect(
      reader.scans
        .slice(asked)
        .map(({ cursor: from, addresses }) => [from, ...addresses])
        .sort(),
    ).toEqual([['10'], ['10', OURS[0]]]);
    clock.advance(CLOSED_EVERY_MS);
    await round(process);
    expect(reader.scans.slice(-2).map(({ addresses }) => addresses)).toEqual(
      expect.arrayContaining([[OURS[0]], [OURS[1]]]),
    );
  });

  it('are read as they are committed, however late that is, and what was read is not read again', async () => {
    const rows: number[] = [];
    const counted: Pick<Database, 'query'> = {
      query: (...asked: Parameters<Database['query']>) =>
        db.query(...asked).then((found) => (rows.push(found.length), found) as never),
    };
    const addresses = new WatchedAddresses(counted);
    const ofPage = async (): Promise<readonly string[]> => {
      rows.length = 0;
      return [...(await addresses.ofEveryPage(CELO, NOW))].sort();
    };
    // More than one page, all within one millisecond.
    const many = Array.from({ length: 2_100 }, (_, n) => `0x${String(n).padStart(40, 'b')}`);
    await db.query(
      `insert into order_watches (order_number, partner_id, chain, asset, currency, amount_minor, rate, due_minor, family, address, created_at, expires_at, watch_until, correlation_id, causation_id)
       select row_number() over (), 1, 'CELO', 'USDC', 'KES', 1, '1', 1, 'evm', address, $1::timestamptz, $1::timestamptz, $1::timestamptz + interval '2 days 0.000123 s', 'c', 'c' from unnest($2::text[]) address`,
      [NOW, many],
    );
    // As in a dump: written by another cluster's transactions.
    await db.query(`update order_watches set xid = '9000000000' where address = $1`, [many[0]]);
    expect(await ofPage()).toHaveLength(2_101);
    let commit: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => (commit = resolve));
    let isWritten = false;
    const late = db.inTransaction(async (tx) => {
      await order(OURS[1], { tx });
      isWritten = true;
      await waits;
    });
    await until(() => isWritten, { withinMs: 10_000, what: 'an order is written and not committed' });
    await order(OURS[2]);
    expect(await ofPage()).toEqual([...many, OURS[0], OURS[2]].sort());
    commit();
    await late;
    expect(await ofPage()).toEqual([...many, OURS[0], OURS[1], OURS[2]].sort());
    expect(await new WatchedAddresses(db).ofClosedOrders('evm', new Date(at(3 * DAY)))).toHaveLength(2_102);
    await ofPage();
    expect(rows.reduce((sum, count) => sum + count, 0)).toBeLessThan(10);
  });
});
