import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { ProviderReply } from '../../../provider-http.js';
import { ATTEMPT_ID, instruction, json, recordOf, refused, TRANSFER_CODE } from '../shapes.spec-support.js';
import { readPage } from './page.js';
import { TransferList } from './transfer-list.js';

const HOUR_MS = 3_600_000;
const OTHER_ID = 'c7a1d0e2-1111-8222-8333-444455556666';
const ROW = recordOf(instruction());
const row = (more: object = {}): object => ({ ...ROW, ...more });
const page = (data: unknown, meta: object = {}) =>
  json(200, {
    status: true,
    message: 'Transfers retrieved',
    data,
    meta: { total: 1, skipped: 0, perPage: 100, page: 1, pageCount: 1, ...meta },
  });
const many = (rows: number): object[] => Array.from({ length: rows }, () => row());

describe('a page of transfers', () => {
  it('tells the ends, by our ids, with amount, fee and the receipt that a status has', () => {
    const rows = [
      row(),
      row({ reference: OTHER_ID, status: 'failed' }),
      row({ reference: OTHER_ID, status: 'reversed', transfer_code: null }),
      row({ status: 'pending' }),
      row({ status: 'otp' }),
      row({ status: 'moon' }),
      row({ reference: 'payroll-of-july-2026' }),
      row({ reference: ATTEMPT_ID.toUpperCase() }),
      row({ reference: null }),
    ];
    expect(readPage(page(rows), 1)).toEqual({
      entries: [
        {
          attemptId: ATTEMPT_ID,
          event: 'paid',
          receipt: TRANSFER_CODE,
          amount: { minor: 150_000n, currency: 'NGN' },
          fee: { minor: 1_000n, currency: 'NGN' },
        },
        { attemptId: OTHER_ID, event: 'not_paid', receipt: TRANSFER_CODE },
        { attemptId: OTHER_ID, event: 'reversed', receipt: null },
      ],
      unreadable: 0,
      isLast: true,
    });
  });

  it.each(['failed', 'abandoned', 'blocked', 'rejected'])('calls %s not paid', (status) => {
    expect(readPage(page([row({ status })]), 1)?.entries).toMatchObject([{ event: 'not_paid' }]);
  });

  it('counts what cannot be read, and reads the rest', () => {
    const odd = [null, 'x', row({ reference: 5 }), row({ status: null }), row({ amount: 1.5 }), row({ amount: '1500' }), row({ amount: -1 }), row({ currency: null })]; // prettier-ignore
    expect(readPage(page([...odd, row()]), 1)).toMatchObject({ unreadable: odd.length, entries: [{ event: 'paid' }] });
    // Of others nothing is read but their reference.
    expect(readPage(page([row({ reference: 'somebody-elses', amount: 1.5 })]), 1)).toMatchObject({ unreadable: 0 });
  });

  it.each<[string, object[], object, boolean]>([
    ['the only one', [row()], {}, true],
    ['one of two', [row()], { pageCount: 2 }, false],
    ['the only one, with its count as text', [row()], { page: '1', pageCount: '1' }, true],
    ['a full one, whatever is counted', many(100), { pageCount: 1 }, false],
    ['an empty one, whatever is counted', [], { pageCount: 9 }, true],
  ])('says whether it is the last: %s', (_title, rows, meta, isLast) => {
    expect(readPage(page(rows, meta), 1)?.isLast).toBe(isLast);
  });

  it.each<[string, ProviderReply]>([
    ['another page', page([row()], { page: 2 })],
    ['a page without its number', page([row()], { page: null })],
    ['no number of pages', page([row()], { pageCount: undefined })],
    ['no meta', json(200, { status: true, data: [row()] })],
    ['status false', json(200, { status: false, data: [row()], meta: { page: 1, pageCount: 1 } })],
    ['no list', page({ 0: row() })],
    ['more rows than were asked for', page(many(101))],
    ['another status of HTTP', { ...page([row()]), status: 201 }],
    ['a refusal', json(401, refused('Invalid key'))],
    ['no answer', { kind: 'no_answer', detail: 'HTTP 502' }],
  ])('is not relied on: %s', (_title, reply) => {
    expect(readPage(reply, 1)).toBeNull();
  });
});

describe('the list of transfers', () => {
  let clock: ManualClock;
  let asked: string[];
  let replies: ProviderReply[];
  let list: TransferList;
  const open = (): TransferList =>
    new TransferList(
      async (path) => {
        asked.push(path);
        return Promise.resolve(replies.shift() ?? page([]));
      },
      clock,
      3 * HOUR_MS,
    );
  const last = (): string => asked.at(-1) ?? '';
  const span = (): (string | null)[] => {
    const { searchParams } = new URL(last(), 'http://x');
    return ['from', 'to'].map((name) => searchParams.get(name)?.slice(11, 19) ?? null);
  };
  const at = (fromMs: unknown, toMs: unknown, number: unknown): string =>
    JSON.stringify({ fromMs, toMs, page: number });

  beforeEach(() => {
    clock = new ManualClock(new Date('2026-08-02T12:00:00.000Z'));
    asked = [];
    replies = [];
    list = open();
  });

  it('is read in parts that overlap by an hour, from as far back as a transfer may change until now', async () => {
    const spans: unknown[] = [];
    let cursor: string | null = null;
    for (let more = true; more;) {
      const read = await list.read(cursor);
      spans.push(span());
      ({ next: cursor, more } = read ?? { next: null, more: false });
    }
    expect(last()).toContain('/transfer?perPage=100&page=1&from=2026-08-02T10:00:00.000Z&to=');
    expect(spans).toEqual([['09:00:00', '11:00:00'], ['10:00:00', '12:00:00']]); // prettier-ignore
    clock.advance(60_000);
    expect(await list.read(cursor)).toMatchObject({ more: false });
    expect(span()).toEqual(['11:00:00', '12:01:00']);
  });

  it('keeps the two times of a part on all of its pages', async () => {
    replies = [page([row()], { pageCount: 2 }), page([row({ reference: OTHER_ID })], { page: 2, pageCount: 2 })];
    const first = await list.read(null);
    expect(first).toMatchObject({ more: true, entries: [{ attemptId: ATTEMPT_ID }] });
    const before = span();
    clock.advance(30_000);
    expect(await list.read(first?.next ?? '')).toMatchObject({ entries: [{ attemptId: OTHER_ID }] });
    expect(last()).toContain('page=2');
    expect(span()).toEqual(before);
  });

  it('tells an end once, another end of the same transfer too, and again what was not taken in', async () => {
    const now = clock.now().getTime();
    const rows = (...statuses: string[]): ProviderReply => page(statuses.map((status) => row({ status })));
    const from = at(now - HOUR_MS, null, 1);
    replies = [rows('success'), rows('success'), rows('success'), rows('reversed'), rows('reversed')];
    const events = async (cursor: string): Promise<unknown[]> => {
      clock.advance(1_000);
      const read = await list.read(cursor);
      return [read?.entries.map(({ event }) => event), read?.next];
    };
    expect((await events(from))[0]).toEqual(['paid']);
    // The same cursor again: what was told may have been lost.
    const [again, next] = await events(from);
    expect(again).toEqual(['paid']);
    const [none, then] = await events(String(next));
    expect(none).toEqual([]);
    const [reversed, end] = await events(String(then));
    expect(reversed).toEqual(['reversed']);
    expect((await events(String(end)))[0]).toEqual([]);
  });

  it('is asked for again where it was where it could not be read', async () => {
    replies = [{ kind: 'no_answer', detail: 'HTTP 502' }, page([row()])];
    expect(await list.read(null)).toBeNull();
    expect(await list.read(null)).toMatchObject({ entries: [{ attemptId: ATTEMPT_ID }] });
    expect(asked[0]).toBe(asked[1]);
  });

  it('goes on after the thousandth page of a part, and says so', async () => {
    const now = clock.now().getTime();
    replies = [page([row()], { page: 1_000, pageCount: 2_000 })];
    const read = await list.read(at(now - 2 * HOUR_MS, now - HOUR_MS, 1_000));
    expect(read).toMatchObject({ trouble: expect.any(String), more: true, next: at(now - 2 * HOUR_MS, null, 1) });
  });

  it('leaves no time out where the clock was set back', async () => {
    const now = clock.now().getTime();
    const read = await list.read(at(now + 5 * HOUR_MS, null, 1));
    expect(span()).toEqual(['11:00:00', '12:00:00']);
    expect(read?.next).toBe(at(now - HOUR_MS, null, 1));
  });

  it.each([
    ['', 'x', 'null', '{}', '[]', at(-1, null, 1), at(1, null, 0), at(1, null, 1_001), at(1.5, null, 1), at(9e15, null, 1)],
  ])('begins anew at a cursor that is not its own', async (...cursors) => {
    for (const cursor of cursors) {
      await list.read(cursor);
      expect(span()).toEqual(['09:00:00', '11:00:00']);
    }
  }); // prettier-ignore
});
