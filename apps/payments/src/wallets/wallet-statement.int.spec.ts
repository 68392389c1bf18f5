import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { StatementEntry } from '@vuka/contracts';
import { money, formatDecimal, postingLegs } from '@vuka/domain';
import type { ProviderAnswer } from '@vuka/payouts';
import { Cipher, ManualClock, uuidv7, WakeSignal } from '@vuka/runtime';

import { CommitWriter } from '../commit/commit-writer.js';
import { referenceOf } from '../commit/posting-reference.js';
import { PageCursors } from '../lists/page-cursor.js';
import { silent, startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { dice } from '../testing/payout-chaos.spec-support.js';
import { AMOUNT, FEE, FUNDS, Harness, ScriptedProvider } from '../testing/payout-harness.spec-support.js';
import { StatementStore } from './statement.store.js';
import { WalletStatement } from './wallet-statement.js';

type Query = Parameters<WalletStatement['run']>[0];

const DAY_MS = 86_400_000;
const FIRST_DAY = new Date('2026-03-10T00:00:00.000Z');
const EVER = { from: '2026-01-01T00:00:00.000Z', before: '2027-01-01T00:00:00.000Z' };

let pg: PaymentsDatabase;
let statement: WalletStatement;
let partner = 10_000;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  statement = new WalletStatement(
    new StatementStore(pg.db),
    new PageCursors(new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }])),
  );
}, 60_000);

beforeEach(() => {
  partner += 1;
});

afterAll(() => pg.stopWhole());

const query = (more: Partial<Query> = {}): Query => ({
  partner_id: partner,
  currency: 'KES',
  ...EVER,
  limit: 1000,
  cursor: null,
  ...more,
});
const minor = (text: string): bigint => BigInt(text.replace('.', ''));
const sum = (entries: readonly StatementEntry[]): bigint =>
  entries.reduce((total, { amount }) => total + minor(amount), 0n);

async function page(more: Partial<Query> = {}): Promise<{ entries: StatementEntry[]; next_cursor: string | null }> {
  const answer = await statement.run(query(more));
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

async function walk(limit: number, more: Partial<Query> = {}): Promise<StatementEntry[]> {
  const all: StatementEntry[] = [];
  for (let cursor: string | null = null; ;) {
    const { entries, next_cursor } = await page({ ...more, limit, cursor });
    all.push(...entries);
    if (next_cursor === null) return all;
    expect(entries).toHaveLength(limit);
    cursor = next_cursor;
  }
}

/** Each balance is the older one plus its amount, also across pages. */
function expectContinuous(newestFirst: readonly StatementEntry[]): void {
  for (const [index, entry] of newestFirst.entries()) {
    const older = newestFirst[index + 1];
    if (older) expect([entry.id, minor(entry.balance)]).toEqual([entry.id, minor(older.balance) + minor(entry.amount)]);
  }
}

async function wallet(of = partner): Promise<bigint> {
  const [row] = await pg.db.query<{ minor: string }>(
    'select balance_minor::text as minor from accounts where name = $1',
    [`wallet:${of}:KES`],
  );
  return BigInt(row?.minor ?? -1);
}

/** By the platform team; false without enough money. */
async function change(writer: CommitWriter, amount: bigint, of = partner): Promise<boolean> {
  const kind = amount > 0n ? 'wallet_topped_up' : 'wallet_debited';
  const legs = postingLegs(kind, { partner: of, amount: money(amount < 0n ? -amount : amount, 'KES') });
  const [agreed] = await pg.db.query<{ id: string }>(
    `insert into adjustments (partner_id, currency, direction, amount_minor, reason, proposed_by, proposed_at, approved_by, approved_at)
     values ($1, 'KES', $2, $3, 'a test', 'amina', now(), 'brian', now()) returning id::text as id`,
    [of, amount > 0n ? 'fund' : 'debit', legs[0]!.amount.minor.toString()],
  );
  const postings = [{ reference: referenceOf('wallet_topped_up', agreed!.id), kind, legs }];
  const { outcome } = await writer.commit(
    { commitId: uuidv7(), transactionId: null, expectedSequence: 0, transitions: [], postings, outbox: [] },
    'background',
  );
  if (outcome !== 'ok') await pg.db.query('delete from adjustments where id = $1', [agreed!.id]);
  return outcome === 'ok';
}

/** Twenty changes a day. */
async function fourDays(clock: ManualClock): Promise<void> {
  const writer = new CommitWriter(pg.db, clock, silent, new WakeSignal());
  const random = dice(partner);
  await change(writer, 1_000_00n);
  for (let changes = 1; changes < 80; changes++) {
    clock.set(new Date(FIRST_DAY.getTime() + Math.floor(changes / 20) * DAY_MS + changes));
    await change(writer, BigInt(Math.floor((random() - 0.5) * 100_000)) + 1n);
  }
}

describe('a wallet’s statement', () => {
  it('adds up: what was there before, and every change, to what is there now', async () => {
    await fourDays(new ManualClock(FIRST_DAY));
    const { entries, next_cursor } = await page();
    expect(next_cursor).toBeNull();
    expect(entries.length).toBeGreaterThan(60);
    expectContinuous(entries);
    expect(entries.filter(({ balance }) => minor(balance) < 0n)).toEqual([]);
    const [oldest, newest] = [entries.at(-1)!, entries[0]!];
    expect(minor(oldest.balance)).toBe(minor(oldest.amount));
    expect([minor(newest.balance), sum(entries)]).toEqual([await wallet(), await wallet()]);
  });

  it('starts a range with the balance before it', async () => {
    await fourDays(new ManualClock(FIRST_DAY));
    const all = (await page()).entries;
    for (const days of [
      [0, 1],
      [1, 2],
      [1, 3],
      [3, 4],
      [0, 4],
    ] as const) {
      const [from, before] = days.map((day) => new Date(FIRST_DAY.getTime() + day * DAY_MS).toISOString()) as [
        string,
        string,
      ];
      const { entries } = await page({ from, before });
      expect(entries).toEqual(all.filter(({ at }) => at >= from && at < before));
      const opening = sum(all.filter(({ at }) => at < from));
      expect(minor(entries[0]!.balance)).toBe(opening + sum(entries));
    }
    expect((await page({ from: '2026-04-01T00:00:00.000Z' })).entries).toEqual([]);
  });

  it.each([1, 2, 7, 79, 80, 81])('is the same in pages of %i', async (limit) => {
    await fourDays(new ManualClock(FIRST_DAY));
    const whole = (await page()).entries;
    expect(await walk(limit)).toEqual(whole);
    const day = { from: '2026-03-11T00:00:00.000Z', before: '2026-03-13T00:00:00.000Z' };
    expect(await walk(limit, day)).toEqual((await page(day)).entries);
  });

  it('follows the order of the ledger, also when a clock stepped back', async () => {
    const clock = new ManualClock(FIRST_DAY);
    const writer = new CommitWriter(pg.db, clock, silent, new WakeSignal());
    await change(writer, 10_00n);
    clock.advance(DAY_MS);
    await change(writer, 5_00n);
    clock.set(FIRST_DAY);
    await change(writer, -15_00n);
    expect((await page()).entries.map(({ amount, balance }) => [amount, balance])).toEqual([
      ['-15.00', '0.00'],
      ['5.00', '15.00'],
      ['10.00', '10.00'],
    ]);
    const day = { from: FIRST_DAY.toISOString(), before: new Date(FIRST_DAY.getTime() + DAY_MS).toISOString() };
    for (const limit of [1, 10])
      expect((await walk(limit, day)).map(({ balance }) => balance)).toEqual(['0.00', '10.00']);
  });
});

describe('while the wallet changes', () => {
  it('every walk through the pages is complete, and a balance never changes afterwards', async () => {
    const clock = new ManualClock(FIRST_DAY);
    const others = [await pg.connect(), await pg.connect()].map(
      (db) => new CommitWriter(db, clock, silent, new WakeSignal()),
    );
    await change(others[0]!, 1_000_00n);
    const told = new Map<number, string>();
    let walks = 0;
    let isWriting = true;
    const writing = Promise.all(
      others.map(async (writer, n) => {
        const random = dice(n + 1);
        // Until enough walks have run beside it.
        for (let rounds = 0; rounds < 15 || walks < 4; rounds++)
          await Promise.all(
            Array.from({ length: 5 }, () => change(writer, BigInt(Math.floor((random() - 0.5) * 90_000)) + 1n)),
          );
      }),
    ).finally(() => (isWriting = false));
    while (isWriting) {
      const entries = await walk(7);
      expectContinuous(entries);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
      expect(entries.at(-1)).toMatchObject({ amount: '1000.00', balance: '1000.00' });
      for (const { id, balance } of entries) {
        expect(told.get(id) ?? balance).toBe(balance);
        told.set(id, balance);
      }
      walks += 1;
    }
    await writing;
    expect(minor((await page({ limit: 1 })).entries[0]!.balance)).toBe(await wallet());
  }, 60_000);
});

describe('an entry', () => {
  const PAID: ProviderAnswer = {
    outcome: 'succeeded',
    receipt: 'R1',
    publicName: null,
    amount: money(AMOUNT, 'KES'),
    recipient: '1234567890',
  };
  const BACK: ProviderAnswer = { outcome: 'reversed', receipt: 'R1', publicName: null, detail: '' };

  it('says what it was for, and of which transaction', async () => {
    const trip = await (
      await new Harness(pg, new ScriptedProvider([{ outcome: 'submitted' }, PAID, BACK])).accepted()
    ).start();
    await trip.call('submit');
    trip.clock.advance(1_000);
    await trip.call('poll');
    trip.clock.advance(2_000);
    await trip.call('watch');
    expect(await trip.state()).toBe('REVERSED');
    const of = { partner_id: trip.partner };
    const money = (amount: bigint): string => formatDecimal(amount, 2);
    const rest = FUNDS - AMOUNT - FEE;
    expect(
      (await page(of)).entries.map(({ kind, transaction_code, amount, balance }) => ({
        kind,
        transaction_code,
        amount,
        balance,
      })),
    ).toEqual([
      { kind: 'reversal', transaction_code: trip.code, amount: money(FEE), balance: money(FUNDS) },
      { kind: 'reversal', transaction_code: trip.code, amount: money(AMOUNT), balance: money(FUNDS - FEE) },
      { kind: 'hold', transaction_code: trip.code, amount: money(-AMOUNT - FEE), balance: money(rest) },
      { kind: 'opening', transaction_code: '', amount: money(FUNDS), balance: money(FUNDS) },
    ]);
    // A page may end between two legs of a posting.
    expect(await walk(1, of)).toEqual((await page(of)).entries);
  });
});

describe('no statement', () => {
  it('is there of a wallet that is not', async () => {
    expect(await statement.run(query())).toMatchObject({ ok: false, error: { code: 'not_found' } });
    expect(await statement.run(query({ partner_id: partner + 5_000 }))).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });

  it('goes on with another one’s cursor', async () => {
    await fourDays(new ManualClock(FIRST_DAY));
    const { next_cursor: cursor } = await page({ limit: 3 });
    const other = new CommitWriter(pg.db, new ManualClock(FIRST_DAY), silent, new WakeSignal());
    partner += 1;
    await change(other, 1n);
    for (const more of [{}, { partner_id: partner - 1, from: '2026-02-01T00:00:00.000Z' }]) {
      expect(await statement.run(query({ ...more, cursor }))).toMatchObject({
        ok: false,
        error: { code: 'invalid_request', faults: [{ pointer: '/cursor' }] },
      });
    }
  });
});
