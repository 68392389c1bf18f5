import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from '@vuka/persistence';
import { until } from '@vuka/testing';

import { ScanStore } from '../incoming-transfers/scan.store.js';
import type { ScannedPage } from '../chains/chain-reader.js';
import { hashOf, ScriptedReader } from '../testing/offramp.spec-support.js';
import { SCAN_EVERY_MS, SCAN_LEASE_MS } from './scan-chains.js';
import { incomingTransfer, NOW, page, PYUSD, ScanFixture, USDC } from './scan-fixture.spec-support.js';

const fixture = new ScanFixture();
const { scanner, round, kept, cursor, codes } = fixture;

beforeAll(() => fixture.open(), 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('the scan of a chain', () => {
  it('begins at its head with a note of it, and keeps what arrives together with the cursor that passes it', async () => {
    fixture.reader.pages.set('', page('10', []));
    fixture.reader.pages.set(
      '10',
      page('20', [
        incomingTransfer({ n: 11 }),
        incomingTransfer({ n: 12, token: PYUSD }),
        incomingTransfer({ n: 12, token: USDC, ordinal: 3 }),
      ]),
    );
    fixture.reader.pages.set('20', page('30', [incomingTransfer({ n: 21 })], true));
    await round(scanner());
    expect([await cursor(), fixture.lines]).toEqual([
      '10',
      [
        expect.objectContaining({
          chain: 'CELO',
          cursor: '10',
          msg: expect.stringMatching(/^the scan of incoming transfers starts here/),
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
    expect(
      await fixture.db.query(
        'select symbol, count(*)::integer from incoming_transfers group by symbol order by symbol',
      ),
    ).toEqual([
      { symbol: 'USDC', count: 3 },
      { symbol: null, count: 1 },
    ]);
    expect([await cursor(), fixture.reader.scans.map((scan) => scan.cursor)]).toEqual(['30', [null, '10', '20']]);
  });

  it('reads on at once while there is more, and waits at the head', async () => {
    fixture.reader.pages.set('', page('10', [], true));
    const process = scanner();
    await round(process);
    await round(process);
    expect(fixture.reader.scans).toHaveLength(1);
    fixture.clock.advance(SCAN_EVERY_MS);
    await round(process);
    expect(fixture.reader.scans).toHaveLength(2);
  });

  it('leaves a chain alone between two pages for as long as a page took: claims ask the same endpoints', async () => {
    fixture.reader.pages.set('', async () => (fixture.clock.advance(4_000), page('10', [])));
    fixture.reader.pages.set('10', async () => (fixture.clock.advance(40_000), page('20', [])));
    const process = scanner();
    const scannedAfter = async (ms: number): Promise<number> => {
      fixture.clock.advance(ms);
      await round(process);
      return fixture.reader.scans.length;
    };
    expect(await scannedAfter(0)).toBe(1);
    expect(await scannedAfter(3_999)).toBe(1);
    expect(await scannedAfter(1)).toBe(2);
    expect(await scannedAfter(SCAN_EVERY_MS - 1)).toBe(2);
    expect(await scannedAfter(1)).toBe(3);
  });

  it('waits in any kind of trouble, and skips nothing', async () => {
    fixture.reader.pages.set('', page('10', []));
    await round(scanner());
    const troubles: (ScannedPage | (() => Promise<ScannedPage>))[] = [
      { kind: 'trouble', reason: 'two endpoints disagree' },
      () => Promise.reject(new Error('a bug')),
    ];
    for (const trouble of troubles) {
      fixture.reader.pages.set('10', trouble);
      await round(scanner());
      await round(scanner());
      fixture.clock.advance(SCAN_EVERY_MS);
    }
    expect([await cursor(), fixture.reader.scans.map((scan) => scan.cursor)]).toEqual(['10', [null, '10', '10']]);
    expect((await new ScanStore(fixture.db).states())[0]).toMatchObject({
      troubledSince: NOW,
      trouble: 'it failed because of a fault in Vuka',
    });
    fixture.reader.pages.set('10', page('20', [incomingTransfer({ n: 11 })]));
    await round(scanner());
    expect([await cursor(), await kept()]).toEqual(['20', [{ n: 11, block: 11, gone: false }]]);
    expect((await new ScanStore(fixture.db).states())[0]).toMatchObject({ troubledSince: null, trouble: null });
  });
});

describe('a process that dies', () => {
  beforeEach(async () => {
    fixture.reader.pages.set('', page('10', []));
    await round(scanner());
    fixture.reader.pages.set('10', page('20', [incomingTransfer({ n: 11 }), incomingTransfer({ n: 12 })]));
  });

  it('between a page and its commit leaves the cursor where it was; the next one begins there when the lease has lapsed', async () => {
    const dead = scanner({
      reader: Object.assign(new ScriptedReader(), { scan: () => new Promise<ScannedPage>(() => undefined) }),
    });
    await dead.tick();
    await round(scanner());
    expect([await cursor(), await kept()]).toEqual(['10', []]);
    fixture.clock.advance(SCAN_LEASE_MS);
    await round(scanner());
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['20', [11, 12]]);
  });

  it('in the middle of a commit leaves nothing of it', async () => {
    const dying: Pick<Database, 'inTransaction'> = {
      inTransaction: (work) =>
        fixture.db.inTransaction(async (tx) => {
          await work(tx);
          throw new Error('dead');
        }),
    };
    await round(scanner({ db: dying }));
    expect([await cursor(), await kept()]).toEqual(['10', []]);
    fixture.clock.advance(SCAN_EVERY_MS);
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
    fixture.clock.advance(SCAN_LEASE_MS);
    await round(scanner());
    wakeUp(page('15', [incomingTransfer({ n: 14 })]));
    await slow.drain();
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['20', [11, 12]]);
  });
});

describe('two processes', () => {
  it('read each page once between them', async () => {
    fixture.reader.pages.set('', page('0', []));
    for (let n = 0; n < 100; n += 10)
      fixture.reader.pages.set(String(n), page(String(n + 10), [incomingTransfer({ n: n + 1 })], n === 90));
    const processes = [scanner(), scanner(), scanner()];
    await until(
      async () => {
        await round(...processes);
        return (await cursor()) === '100';
      },
      { withinMs: 20_000, what: 'the head is reached' },
    );
    expect(fixture.reader.scans.map((scan) => scan.cursor)).toEqual([
      null,
      ...Array.from({ length: 10 }, (_, n) => String(n * 10)),
    ]);
    expect((await kept()).map(({ n }) => n)).toEqual(Array.from({ length: 10 }, (_, n) => n * 10 + 1));
  });
});

describe('a reorganisation', () => {
  it('reverts transfers above it until they are seen again, in another block or never', async () => {
    fixture.reader.pages.set('', page('10', []));
    fixture.reader.pages.set(
      '10',
      page('20', [incomingTransfer({ n: 11 }), incomingTransfer({ n: 15 }), incomingTransfer({ n: 16 })]),
    );
    fixture.reader.pages.set('20', { kind: 'reorganised', back: '12', aboveBlock: 12, scannedTo: NOW.getTime() });
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect([await cursor(), await kept()]).toEqual([
      '12',
      [
        { n: 11, block: 11, gone: false },
        { n: 15, block: 15, gone: true },
        { n: 16, block: 16, gone: true },
      ],
    ]);
    fixture.reader.pages.set(
      '12',
      page('21', [incomingTransfer({ n: 16, block: 18, fork: 'c' }), incomingTransfer({ n: 19, fork: 'c' })], true),
    );
    await round(scanner());
    expect(await kept()).toEqual([
      { n: 11, block: 11, gone: false },
      { n: 15, block: 15, gone: true },
      { n: 16, block: 18, gone: false },
      { n: 19, block: 19, gone: false },
    ]);
  });

  it('of a page that was kept before tells everything once', async () => {
    fixture.reader.pages.set('', page('10', []));
    const same = [incomingTransfer({ n: 11 }), incomingTransfer({ n: 11 }), incomingTransfer({ n: 12 })];
    fixture.reader.pages.set('10', page('20', same));
    fixture.reader.pages.set('20', page('30', same, true));
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect(await kept()).toEqual([
      { n: 11, block: 11, gone: false },
      { n: 12, block: 12, gone: false },
    ]);
  });
});

describe('what cannot be kept', () => {
  it('is set aside with one alarm, and does not block other transfers', async () => {
    fixture.reader.pages.set('', page('10', []));
    fixture.reader.pages.set(
      '10',
      page('20', [
        incomingTransfer({ n: 11 }),
        incomingTransfer({ n: 12, value: 10n ** 38n }),
        incomingTransfer({ n: 13, from: 'x\0y' }),
        incomingTransfer({ n: 14 }),
      ]),
    );
    fixture.reader.pages.set(
      '20',
      page('30', [incomingTransfer({ n: 12, value: 10n ** 38n }), incomingTransfer({ n: 21 })], true),
    );
    for (let turn = 0; turn < 3; turn += 1) await round(scanner());
    expect([await cursor(), (await kept()).map(({ n }) => n)]).toEqual(['30', [11, 14, 21]]);
    expect(
      await fixture.db.query('select transaction_hash, reason, told from quarantined_incoming_transfers order by id'),
    ).toEqual([
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
    expect(codes()).toEqual(['incoming_transfer_set_aside', 'incoming_transfer_set_aside']);
  });
});
