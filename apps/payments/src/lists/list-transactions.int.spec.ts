import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CallContext, StatusRow } from '@vuka/contracts';
import { type PayoutDestination, type PublicStatus, type TransactionState } from '@vuka/domain';
import { ManualClock } from '@vuka/runtime';

import { partsOn } from '../testing/parts.spec-support.js';
import { AcceptPayout } from '../payouts/accept/accept-payout.js';
import { startPaymentsDatabase, type PaymentsDatabase } from '../testing/payments-database.spec-support.js';
import { GetTransaction } from '../transactions/status/get-transaction.js';
import { Wallets } from '../wallets/wallets.js';
import { ListTransactions } from './list-transactions.js';

type Query = Parameters<ListTransactions['run']>[0];

const CONTEXT: CallContext = { requestId: 'r-1', traceparent: '00-1', deadline: Number.MAX_SAFE_INTEGER };
const NOON = new Date('2026-03-10T12:00:00.000Z');
const MOBILE: PayoutDestination = { kind: 'mobile', phone: '+254712345678', mobile_network: 'Safaricom' };
const ABROAD: PayoutDestination = { kind: 'mobile', phone: '+243991234567', mobile_network: 'Airtel Money' };

let pg: PaymentsDatabase;
let accept: AcceptPayout;
let wallets: Wallets;
let list: ListTransactions;
let one: GetTransaction;
const clock = new ManualClock(NOON);
let partner = 0;

beforeAll(async () => {
  pg = await startPaymentsDatabase();
  const parts = partsOn(pg.db, clock);
  wallets = parts.get(Wallets);
  accept = parts.get(AcceptPayout);
  list = parts.get(ListTransactions);
  one = parts.get(GetTransaction);
}, 60_000);

beforeEach(async () => {
  partner += 1;
  clock.set(NOON);
  await wallets.openInSandbox({
    partner_id: partner,
    openings: ['KES', 'CDF', 'USD'].map((currency) => ({ currency, amount_minor: '100000000' })),
  });
});

afterAll(() => pg.stop());

async function pay(code: string, currency = 'KES', destination = MOBILE, of = partner): Promise<void> {
  const input = {
    operation: 'disburse' as const,
    partner_id: of,
    transaction_code: code,
    fingerprint: 'v1:a',
    currency,
    amount_minor: '50000',
    fee_minor: '0',
    destination,
    callback_url: null,
  };
  const accepted = await accept.run(input, CONTEXT);
  if (!accepted.ok) throw new Error(accepted.error.message);
}

const query = (more: Partial<Query> = {}): Query => ({
  partner_id: partner,
  currency: null,
  status: null,
  from: '2026-03-10T00:00:00.000Z',
  before: '2026-03-11T00:00:00.000Z',
  limit: 1000,
  cursor: null,
  ...more,
});

async function page(more: Partial<Query> = {}): Promise<{ rows: StatusRow[]; next_cursor: string | null }> {
  const answer = await list.run(query(more));
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

const codes = ({ rows }: { rows: StatusRow[] }): string[] => rows.map(({ transaction_code }) => transaction_code);

/** `meanwhile` runs after each page. */
async function walk(
  limit: number,
  meanwhile: (pages: number) => Promise<void> = async () => undefined,
  more: Partial<Query> = {},
): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  for (let pages = 1; ; pages++) {
    const { rows, next_cursor } = await page({ ...more, limit, cursor });
    expect(rows.length === limit || next_cursor === null).toBe(true);
    seen.push(...codes({ rows }));
    if (next_cursor === null) return seen;
    cursor = next_cursor;
    await meanwhile(pages);
  }
}

async function makeTen(prefix = 't'): Promise<string[]> {
  const made = Array.from({ length: 10 }, (_, index) => `${prefix}-${index}`);
  for (const [index, code] of made.entries()) {
    // Some in the same millisecond.
    if (index % 3 !== 0) clock.advance(1);
    await pay(code);
  }
  return made.reverse();
}

describe('the list of transactions', () => {
  it('has the rows that one transaction has, newest first', async () => {
    const newestFirst = await makeTen();
    const { rows, next_cursor } = await page();
    expect([codes({ rows }), next_cursor]).toEqual([newestFirst, null]);
    const single = await one.run({ partner_id: partner, currency: null, by: { transaction_code: 't-3' } });
    expect(single).toEqual({ ok: true, value: rows[6] });
  });

  it('is one partner’s own', async () => {
    await pay('mine');
    expect(codes(await page({ partner_id: partner + 10_000 }))).toEqual([]);
    const { next_cursor } = await (await pay('mine-too'), page({ limit: 1 }));
    expect(await list.run(query({ partner_id: partner + 10_000, limit: 1, cursor: next_cursor }))).toMatchObject({
      ok: false,
      error: { code: 'invalid_request', faults: [{ pointer: '/cursor' }] },
    });
  });

  it.each([1, 2, 3, 9, 10, 11])('gives each row once in pages of %i', async (limit) => {
    const newestFirst = await makeTen();
    expect(await walk(limit)).toEqual(newestFirst);
  });

  it('begins at from, and ends before before', async () => {
    for (const [code, at] of [
      ['a', '2026-03-09T23:59:59.999Z'],
      ['b', '2026-03-10T00:00:00.000Z'],
      ['c', '2026-03-10T23:59:59.999Z'],
      ['d', '2026-03-11T00:00:00.000Z'],
    ] as const) {
      clock.set(new Date(at));
      await pay(code);
    }
    expect(codes(await page())).toEqual(['c', 'b']);
    expect(codes(await page({ before: '2026-03-12T00:00:00.000Z', from: '2026-03-09T00:00:00.000Z' }))).toEqual([
      'd',
      'c',
      'b',
      'a',
    ]);
  });

  it('loses no row with times finer than milliseconds', async () => {
    await makeTen();
    await pg.db.query(
      `update transactions set created_at = timestamptz '2026-03-10 12:00:00.000900Z' + (id % 5) * interval '1 microsecond' where partner_id = $1`,
      [partner],
    );
    for (const limit of [1, 2, 3])
      expect((await walk(limit)).sort()).toEqual(Array.from({ length: 10 }, (_, index) => `t-${index}`));
  });

  it('neither repeats nor skips while others come in at either end and between', async () => {
    const before = await makeTen();
    const seen = await walk(2, async (pages) => {
      clock.set(new Date(NOON.getTime() + 60_000 + pages));
      await pay(`newer-${pages}`);
      clock.set(new Date(NOON.getTime() - 60_000 - pages));
      await pay(`older-${pages}`);
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((code) => code.startsWith('t-'))).toEqual(before);
    expect(seen.filter((code) => code.startsWith('newer-'))).toEqual([]);
  });

  it('goes on with a cursor when the limit changes, and not when a filter does', async () => {
    const all = await makeTen();
    const { next_cursor } = await page({ limit: 4 });
    expect(codes(await page({ limit: 1, cursor: next_cursor }))).toEqual([all[4]]);
    for (const other of [
      { currency: 'KES' },
      { status: 'PENDING' as const },
      { from: '2026-03-10T01:00:00.000Z' },
      { before: '2026-03-12T00:00:00.000Z' },
    ]) {
      expect((await list.run(query({ ...other, limit: 4, cursor: next_cursor }))).ok).toBe(false);
    }
  });
});

describe('filters', () => {
  const STATES: readonly [TransactionState, PublicStatus][] = [
    ['ACCEPTED', 'PENDING'],
    ['QUEUED', 'PROCESSING'],
    ['SUBMITTING', 'PROCESSING'],
    ['SUBMITTED', 'PROCESSING'],
    ['IN_DOUBT', 'PROCESSING'],
    ['REVIEW', 'PROCESSING'],
    ['COMPLETE', 'COMPLETE'],
    ['FAILED', 'FAILED'],
    ['REVERSED', 'REVERSED'],
  ];

  it('by public status find every state behind it', async () => {
    for (const [state] of STATES) {
      await pay(state);
      await pg.db.query('update transactions set state = $3 where partner_id = $1 and transaction_code = $2', [
        partner,
        state,
        state,
      ]);
    }
    for (const status of ['PENDING', 'PROCESSING', 'COMPLETE', 'FAILED', 'REVERSED'] as const) {
      const expected = STATES.filter(([, shown]) => shown === status)
        .map(([state]) => state as string)
        .sort();
      const { rows } = await page({ status });
      expect(codes({ rows }).sort()).toEqual(expected);
      expect(rows.every((row) => row.status === status)).toBe(true);
      expect((await walk(2, undefined, { status })).sort()).toEqual(expected);
    }
  });

  it('by currency find all that its payouts are made in, and so does one transaction', async () => {
    await pay('shillings');
    await pay('francs', 'CDF', ABROAD);
    await pay('dollars', 'USD', ABROAD);
    expect(codes(await page())).toEqual(['dollars', 'francs', 'shillings']);
    expect(codes(await page({ currency: 'KES' }))).toEqual(['shillings']);
    expect(codes(await page({ currency: 'CDF' }))).toEqual(['dollars', 'francs']);
    expect(codes(await page({ currency: 'NGN' }))).toEqual([]);
    const found = async (currency: string): Promise<boolean> =>
      (await one.run({ partner_id: partner, currency, by: { transaction_code: 'dollars' } })).ok;
    expect([await found('CDF'), await found('KES')]).toEqual([true, false]);
  });

  it('show what a row in US dollars is in US dollars, and of no other', async () => {
    await pay('francs', 'CDF', ABROAD);
    await pay('dollars', 'USD', ABROAD);
    const { rows } = await page();
    expect(
      rows.map(({ currency_code, amount, amount_in_usd, rate }) => ({ currency_code, amount, amount_in_usd, rate })),
    ).toEqual([
      { currency_code: 'USD', amount: '500.00', amount_in_usd: '500.00', rate: '' },
      { currency_code: 'CDF', amount: '500.00', amount_in_usd: '0.00', rate: '' },
    ]);
  });
});
