import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { acceptedTokens, chainNamed, type EvmChain } from '@vuka/domain';
import type { Database } from '@vuka/persistence';
import { createLogger, ManualClock, WakeSignal } from '@vuka/runtime';
import { until } from '@vuka/testing';

import { AddressStore } from '../addresses/address.store.js';
import {
  hashOf,
  ScriptedReader,
  SENDER,
  startTestDatabase,
  type TestDatabase,
} from '../testing/offramp.spec-support.js';
import { ArrivalStore } from './arrival.store.js';
import type { ToldArrival } from './read-arrival.js';
import { RecordPage } from './record-page.js';
import { SCAN_EVERY_MS, SCAN_LEASE_MS, ScanChains, type ScannedPage } from './scan-chains.js';
import { ScanStore } from './scan.store.js';
import { UNCLAIMED_AFTER_MS, WatchArrivals } from './watch-arrivals.js';
import { WatchedAddresses } from './watched-addresses.js';

const NOW = new Date('2026-11-20T10:00:00.000Z');
const CELO = chainNamed('CELO') as EvmChain;
const USDC = acceptedTokens(CELO).find(({ symbol }) => symbol === 'USDC')!.address;
const PYUSD = '0x00000000000000000000000000000000000000CC';
const OURS = [
  '0x00000000000000000000000000000000000000A1',
  '0x00000000000000000000000000000000000000A2',
  '0x00000000000000000000000000000000000000A3',
] as const;

let database: TestDatabase;
let db: Database;
let clock: ManualClock;
let reader: ScriptedReader;
let lines: Record<string, unknown>[];

beforeAll(async () => {
  database = await startTestDatabase();
  db = await database.connect();
}, 60_000);
afterAll(() => database.stop());
beforeEach(async () => {
  await db.query(
    'truncate scan_cursors, arrivals, quarantined_arrivals, deposit_addresses, claims, deposits, order_watches',
  );
  [clock, reader, lines] = [new ManualClock(NOW), new ScriptedReader(), []];
  await give(1, OURS[0]);
});

const log = createLogger('test', {
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});
const give = (partner: number, address: string): Promise<void> =>
  new AddressStore(db).insertUnlessPresent(partner, 'evm', { address, index: partner, keyId: 'key', createdAt: NOW });

/** One process. */
function scanner(
  over: { readonly db?: Pick<Database, 'inTransaction'>; readonly reader?: ScriptedReader } = {},
): ScanChains {
  return new ScanChains({
    pages: new ScanStore(db),
    addresses: new WatchedAddresses(db),
    record: new RecordPage(over.db ?? db, { open: async () => false }, new WakeSignal(), clock, log),
    chains: new Map([['CELO', { chain: CELO, reader: over.reader ?? reader }]]),
    signal: new WakeSignal(),
    clock,
    log,
  });
}

async function round(...processes: ScanChains[]): Promise<void> {
  await Promise.all(processes.map((process) => process.tick()));
  await Promise.all(processes.map((process) => process.drain()));
}

interface Fact extends Partial<Omit<ToldArrival, 'block'>> {
  readonly n: number;
  readonly block?: number;
  readonly fork?: string;
}

const arrival = ({ n, block = n, fork = 'a', ...over }: Fact): ToldArrival => ({
  transactionId: hashOf(n),
  address: OURS[0],
  token: USDC,
  from: SENDER,
  value: 1_000_000n,
  ordinal: 0,
  block: { number: block, hash: `0x${fork.repeat(64)}`, timeMs: NOW.getTime() },
  ...over,
});
const page = (
  next: string,
  arrivals: readonly ToldArrival[],
  isAtHead = false,
  scannedTo: number | null = null,
): ScannedPage => ({ kind: 'page', arrivals, next, isAtHead, scannedTo });
const kept = () =>
  db.query<{ n: number; block: number; gone: boolean }>(
    `select ('x' || right(transaction_hash, 8))::bit(32)::integer as n, block_number::integer as block, reverted_at is not null as gone from arrivals order by transaction_hash, ordinal`,
  );
const cursor = async (): Promise<string | null> =>
  (await db.query<{ cursor: string | null }>(`select cursor from scan_cursors where chain = 'CELO'`))[0]?.cursor ??
  null;
const codes = (): unknown[] => lines.flatMap(({ code }) => (code === undefined ? [] : [code]));

describe('the scan of a chain', () => {
  it('begins at its head with a note of it, and keeps what arrives together with the cursor that passes it', async () => {
    reader.pages.set('', page('10', []));
    reader.pages.set(
      '10',
      page('20', [arrival({ n: 11 }), arrival({ n: 12, token: PYUSD }), arrival({ n: 12, token: USDC, ordinal: 3 })]),
    );
    reader.pages.set('20', page('30', [arrival({ n: 21 })], true));
    await round(scanner());
    expect([await cursor(), lines]).toEqual([
      '10',
      [
        expect.objectContaining({
          chain: 'CELO',
          cursor: '10',
          msg: expect.stringMatching(/^arrivals are looked for from here on/),
        }),
      ],
    ]);
    await round(scanner());
    await round(scanner());
    expect(await kept()).toEqual([
      { n: 11, block: 11, gone: false },
      { n: 12, block: 12, gone: false },
      { n: 12, block: 12, gone: false },
      { n: 21, block: 21, gone: false },
    ]);
    expect(await db.query('select symbol, count(*)::integer from arrivals group by symbol order by symbol')).toEqual([
      { symbol: 'USDC', count: 3 },
      { symbol: null, count: 1 },
    ]);
    expect([await cursor(), reader.scans.map((scan) => scan.cursor)]).toEqual(['30', [null, '10', '20']]);
  });

  it('reads on at once while there is more, and waits at the head', async () => {
    reader.pages.set('', page('10', [], true));
    const process = scanner();
    await round(process);
    await round(process);
    expect(reader.scans).toHaveLength(1);
    clock.advance(SCAN_EVERY_MS);
    await round(process);
    expect(reader.scans).toHaveLength(2);
  });

  it('leaves a chain alone between two pages for as long as a page took: claims ask the same endpoints', async () => {
    reader.pages.set('', async () => (clock.advance(4_000), page('10', [])));
    reader.pages.set('10', async () => (clock.advance(40_000), page('20', [])));
    const process = scanner();
    const scannedAfter = async (ms: number): Promise<number> => {
      clock.advance(ms);
      await round(process);
      return reader.scans.length;
    };
    expect(await scannedAfter(0)).toBe(1);
    expect(await scannedAfter(3_999)).toBe(1);
    expect(await scannedAfter(1)).toBe(2);
    expect(await scannedAfter(SCAN_EVERY_MS - 1)).toBe(2);
    expect(await scannedAfter(1)).toBe(3);
  });

  it('waits in trouble and skips nothing, whatever kind of trouble it is', async () => {
    reader.pages.set('', page('10', []));
    await round(scanner());
    const troubles: (ScannedPage | (() => Promise<ScannedPage>))[] = [
      { kind: 'trouble', reason: 'two endpoints disagree' },
      () => Promise.reject(new Error('a bug')),
    ];
    for (const trouble of troubles) {
      reader.pages.set('10', trouble);
      await round(scanner());
      await round(scanner());
      clock.advance(SCAN_EVERY_MS);
    }
    expect([await cursor(), reader.scans.map((scan) => scan.cursor)]).toEqual(['10', [null, '10', '10']]);
    expect((await new ScanStore(db).states())[0]).toMatchObject({
      troubledSince: NOW,
      trouble: 'it failed for a reason of ours',
    });
    reader.pages.set('10', page('20', [arrival({ n: 11 })]));
    await round(scanner());
    expect([await cursor(), await kept()]).toEqual(['20', [{ n: 11, block: 11, gone: false }]]);
    expect((await new ScanStore(db).states())[0]).toMatchObject({ troubledSince: null, trouble: null });
  });
});

describe('a process that dies', () => {
  beforeEach(async () => {
    reader.pages.set('', page('10', []));
    await round(scanner());
    reader.pages.set('10', page('20', [arrival({ n: 11 }), arrival({ n: 12 })]));
  });

  it('between a page and its commit leaves the cursor where it was; the next one begins there when the lease has lapsed', async () => {
    const dead = scanner({
      reader: Object.assign(new ScriptedReader(), { scan: () => new Promise<ScannedPage>(() => undefined) }),
    });
    await dead.tick();
    await round(scanner());
    expect([await cursor(), await kept()]).toEqual(['10', []]);
    clock.advance(SCAN_LEASE_MS);
    await round(scanner());
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['20', [11, 12]]);
  });

  it('in the middle of a commit leaves nothing of it', async () => {
    const dying: Pick<Database, 'inTransaction'> = {
      inTransaction: (work) =>
        db.inTransaction(async (tx) => {
          await work(tx);
          throw new Error('dead');
        }),
    };
    await round(scanner({ db: dying }));
    expect([await cursor(), await kept()]).toEqual(['10', []]);
    clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['20', [11, 12]]);
  });

  it('or only sleeps moves no cursor that another one has in hand', async () => {
    let wakeUp: (scan: ScannedPage) => void = () => undefined;
    let asked = false;
    const slow = scanner({
      reader: Object.assign(new ScriptedReader(), {
        scan: () => new Promise<ScannedPage>((resolve) => ((asked = true), (wakeUp = resolve))),
      }),
    });
    await slow.tick();
    await until(() => asked, { withinMs: 10_000, what: 'the page is asked for' });
    clock.advance(SCAN_LEASE_MS);
    await round(scanner());
    wakeUp(page('15', [arrival({ n: 14 })]));
    await slow.drain();
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['20', [11, 12]]);
  });
});

describe('two processes', () => {
  it('read each page once between them', async () => {
    reader.pages.set('', page('0', []));
    for (let n = 0; n < 100; n += 10)
      reader.pages.set(String(n), page(String(n + 10), [arrival({ n: n + 1 })], n === 90));
    const processes = [scanner(), scanner(), scanner()];
    await until(
      async () => {
        await round(...processes);
        return (await cursor()) === '100';
      },
      { withinMs: 20_000, what: 'the head is reached' },
    );
    expect(reader.scans.map((scan) => scan.cursor)).toEqual([
      null,
      ...Array.from({ length: 10 }, (_, n) => String(n * 10)),
    ]);
    expect((await kept()).map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, n) => n * 10 + 1));
  });
});

describe('a reorganisation', () => {
  it('takes back what was above, until it is seen again: elsewhere, or not at all', async () => {
    reader.pages.set('', page('10', []));
    reader.pages.set('10', page('20', [arrival({ n: 11 }), arrival({ n: 15 }), arrival({ n: 16 })]));
    reader.pages.set('20', { kind: 'reorganised', back: '12', aboveBlock: 12, scannedTo: NOW.getTime() });
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect([await cursor(), await kept()]).toEqual([
      '12',
      [
        { n: 11, block: 11, gone: false },
        { n: 15, block: 15, gone: true },
        { n: 16, block: 16, gone: true },
      ],
    ]);
    reader.pages.set('12', page('21', [arrival({ n: 16, block: 18, fork: 'c' }), arrival({ n: 19, fork: 'c' })], true));
    await round(scanner());
    expect(await kept()).toEqual([
      { n: 11, block: 11, gone: false },
      { n: 15, block: 15, gone: true },
      { n: 16, block: 18, gone: false },
      { n: 19, block: 19, gone: false },
    ]);
  });

  it('of a page that was kept before tells everything once', async () => {
    reader.pages.set('', page('10', []));
    const same = [arrival({ n: 11 }), arrival({ n: 11 }), arrival({ n: 12 })];
    reader.pages.set('10', page('20', same));
    reader.pages.set('20', page('30', same, true));
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect(await kept()).toEqual([
      { n: 11, block: 11, gone: false },
      { n: 12, block: 12, gone: false },
    ]);
  });
});

describe('what cannot be kept', () => {
  it('is set aside with an alarm, said once, and keeps nothing else from being kept', async () => {
    reader.pages.set('', page('10', []));
    reader.pages.set(
      '10',
      page('20', [
        arrival({ n: 11 }),
        arrival({ n: 12, value: 10n ** 38n }),
        arrival({ n: 13, from: 'x\0y' }),
        arrival({ n: 14 }),
      ]),
    );
    reader.pages.set('20', page('30', [arrival({ n: 12, value: 10n ** 38n }), arrival({ n: 21 })], true));
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['30', [11, 14, 21]]);
    expect(await db.query('select transaction_hash, reason, told from quarantined_arrivals order by id')).toEqual([
      {
        transaction_hash: hashOf(12),
        reason: 'value: not an amount that can be held',
        told: expect.objectContaining({ value: (10n ** 38n).toString() }),
      },
      {
        transaction_hash: hashOf(13),
        reason: 'from: too long, or not printable',
        told: expect.objectContaining({ from: 'x?y' }),
      },
    ]);
    expect(codes()).toEqual(['arrival_set_aside', 'arrival_set_aside']);
  });
});

describe('what nobody claims', () => {
  const store = () => new ArrivalStore(db);
  const watch = () => new WatchArrivals(store(), new ScanStore(db), new Set(['CELO']), clock, log);

  async function claim(id: number, hash: string, state: 'open' | 'verified'): Promise<void> {
    await db.query(
      `insert into claims (transaction_id, partner_id, chain, transaction_hash, currency, amount_minor, accepted_at, deadline, state, next_look_at, judged_at, correlation_id, causation_id, created_at)
       values ($1, 1, 'CELO', $2, 'KES', 1, $3, $3, $4::text, case when $4 = 'open' then $3::timestamptz end, case when $4 <> 'open' then $3::timestamptz end, 'c', 'c', $3)`,
      [id, hash, NOW, state],
    );
  }

  async function deposit(claimId: number, hash: string): Promise<void> {
    await db.query(
      `insert into deposits (chain, transaction_hash, address, asset, token, decimals, received_minor, partner_id, claim_id, state, screening_hit, rate, block_number, block_hash, block_time, rule_version, evidence, created_at)
       values ('CELO', $1, $2, 'USDC@CELO', $3, 6, 1, 1, $4, 'consumed', false, '1', 1, 'b', $5, 1, '{}', $5)`,
      [hash, OURS[0], USDC, claimId, NOW],
    );
  }

  beforeEach(async () => {
    await give(2, OURS[1]);
    reader.pages.set('', page('10', []));
    reader.pages.set('10', page('20', [
      arrival({ n: 11 }), arrival({ n: 12 }), arrival({ n: 13, address: OURS[1] }), arrival({ n: 14, token: PYUSD }), arrival({ n: 15, address: OURS[2] }),
    ], true)); // prettier-ignore
    await round(scanner());
    await round(scanner());
    await claim(1, hashOf(11), 'verified');
    await deposit(1, hashOf(11));
    await claim(2, hashOf(12), 'open');
  });

  it('is listed with whose it is, also where it is no accepted token or nobody’s; what waits for its verdict is not', async () => {
    const listed = await store().unclaimed(clock.now(), 10);
    expect(listed.map(({ transactionHash, partnerId, symbol }) => [transactionHash, partnerId, symbol])).toEqual([
      [hashOf(13), 2, 'USDC'],
      [hashOf(14), 1, null],
      [hashOf(15), null, 'USDC'],
    ]);
    expect(await store().unclaimedByChain(clock.now())).toEqual([{ chain: 'CELO', count: 3, oldestAt: NOW }]);
    expect(await store().unclaimed(new Date(NOW.getTime() - 1), 10)).toEqual([]);
  });

  it('is told of once when it has been there for half an hour, tokens that are not listed apart', async () => {
    clock.advance(UNCLAIMED_AFTER_MS - 1);
    await watch().run();
    expect(codes()).toEqual([]);
    clock.advance(1);
    await watch().run();
    await watch().run();
    expect(lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'arrivals_unclaimed', chain: 'CELO', arrivals: 2, minutes: 30 }),
    ]);
  });

  it('is listed apart, and told of by nobody, where it is worth less than a cent; what is worth more is not buried by it', async () => {
    reader.pages.set(
      '20',
      page(
        '30',
        [
          ...Array.from({ length: 20 }, (_, n) => arrival({ n: 100 + n, value: 9_999n })),
          arrival({ n: 200, value: 10_000n }),
        ],
        true,
      ),
    );
    clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    clock.advance(UNCLAIMED_AFTER_MS);
    const listed = (await store().unclaimed(clock.now(), 10)).map(({ transactionHash }) => transactionHash);
    expect(listed).toEqual([hashOf(13), hashOf(14), hashOf(15), hashOf(200)]);
    expect((await store().unclaimed(clock.now(), 100, { dust: true })).map(({ amountMinor }) => amountMinor)).toEqual(
      Array.from({ length: 20 }, () => '9999'),
    );
    expect(await store().unclaimedByChain(clock.now())).toMatchObject([{ chain: 'CELO', count: 4 }]);
    expect(await kept()).toHaveLength(26);
    await watch().run();
    expect(lines.filter(({ code }) => code !== undefined)).toEqual([
      expect.objectContaining({ code: 'arrivals_unclaimed', arrivals: 3 }),
    ]);
  });

  it('is nobody’s concern once it has become a deposit, nor while its block is gone', async () => {
    await watch().run();
    expect(await db.query('select transaction_hash as hash from arrivals where claimed_at is not null')).toEqual([
      { hash: hashOf(11) },
    ]);
    reader.pages.set('20', { kind: 'reorganised', back: '12', aboveBlock: 12, scannedTo: NOW.getTime() });
    clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    expect(await store().unclaimed(clock.now(), 10)).toEqual([]);
  });

  it('and a chain that is not looked through is told of', async () => {
    reader.pages.set('20', { kind: 'trouble', reason: 'two endpoints disagree' });
    clock.advance(SCAN_EVERY_MS);
    await round(scanner());
    clock.advance(15 * 60_000);
    await watch().run();
    expect(lines.filter(({ code }) => code === 'chain_not_scanned')).toMatchObject([
      { chain: 'CELO', minutes: 15, trouble: 'two endpoints disagree' },
    ]);
  });
});
