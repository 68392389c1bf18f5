import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@vuka/runtime';

import type { ProviderReply } from '../../provider-http.js';
import { AllTransfers, readPage } from './statement.js';
import { ATTEMPT_ID, json } from './shapes.spec-support.js';

const NOW = new Date('2026-08-02T12:00:00Z');
const SINCE = new Date('2026-08-01T00:00:00Z');
const OTHER_ID = 'c7a1d0e2-1111-8222-8333-444455556666';
const ROW = {
  account_name: 'Vuka payout',
  account_number: '0912345678',
  currency: 'ETB',
  amount: 2000,
  charge: 0,
  transfer_type: 'single',
  chapa_reference: '2o10dfs332U',
  bank_code: 855,
  bank_name: 'telebirr',
  bank_reference: 'GT3412w3',
  status: 'success',
  reference: ATTEMPT_ID,
  created_at: '2026-08-02T10:00:00.000000Z',
};
const page = (data: unknown, meta: object = {}) =>
  json(200, { message: 'Transfers', status: 'success', data, meta: { current_page: 1, next_page_url: null, ...meta } });
const MORE = { next_page_url: 'https://api.chapa.co/v1/transfers?page=2' };

describe('a page of all transfers', () => {
  it('tells the ends, by our ids, with the receipt that a status has', () => {
    const rows = [
      ROW,
      { ...ROW, reference: OTHER_ID.toUpperCase(), status: 'failed/cancelled', bank_reference: null },
      { ...ROW, status: 'pending' },
      { ...ROW, status: 'moon' },
      { ...ROW, reference: 'payroll of July' },
      { ...ROW, reference: null, bank_reference: null, chapa_reference: null },
    ];
    expect(readPage(page(rows), 1, SINCE)).toEqual({
      entries: [
        { attemptId: ATTEMPT_ID, event: 'paid', receipt: 'GT3412w3' },
        { attemptId: OTHER_ID, event: 'not_paid', receipt: '2o10dfs332U' },
      ],
      next: '1',
      more: false,
    });
  });

  it('leads on until the end, or until what is too old to change', () => {
    expect(readPage(page([ROW], MORE), 1, SINCE)).toMatchObject({ next: '2', more: true });
    const old = { ...ROW, created_at: '2026-07-31T23:59:59.000000Z' };
    expect(readPage(page([ROW, old], MORE), 1, SINCE)).toMatchObject({ next: '2', more: true });
    expect(readPage(page([old, old], MORE), 1, SINCE)).toMatchObject({ next: '1', more: false });
    // Without a time nothing is known of its age.
    expect(readPage(page([{ ...ROW, created_at: null }, old], MORE), 1, SINCE)).toMatchObject({ more: true });
    expect(readPage(page([], MORE), 1, SINCE)).toMatchObject({ next: '1', more: false });
    expect(readPage(page([ROW], { ...MORE, current_page: 500 }), 500, SINCE)).toMatchObject({ next: '1', more: false });
  });

  it.each<[string, ProviderReply]>([
    ['another page', page([ROW], { current_page: 2 })],
    ['no meta', json(200, { status: 'success', data: [ROW] })],
    ['a failure', json(200, { status: 'failed', data: [ROW], meta: { current_page: 1 } })],
    ['no list', page({ 0: ROW })],
    ['a row without a status', page([ROW, { ...ROW, status: null }])],
    ['no row', page([ROW, null])],
    ['more rows than a page has', page(Array.from({ length: 1_001 }, () => ROW))],
    ['another status of HTTP', { ...page([ROW]), status: 201 }],
    ['no answer', { kind: 'no_answer', detail: 'HTTP 502' }],
  ])('is not relied on: %s', (_title, reply) => {
    expect(readPage(reply, 1, SINCE)).toBeNull();
  });
});

describe('all transfers', () => {
  const clock = new ManualClock(NOW);
  function listOf(...pages: ProviderReply[]): { list: AllTransfers; asked: string[] } {
    const asked: string[] = [];
    const call = async (path: string): Promise<ProviderReply> => {
      asked.push(path);
      return Promise.resolve(pages[asked.length - 1] ?? { kind: 'no_answer', detail: 'HTTP 500' });
    };
    return { list: new AllTransfers(call, clock, 96 * 3_600_000), asked };
  }

  it('are gone through page by page, and then again', async () => {
    const second = page([{ ...ROW, reference: OTHER_ID }], { current_page: 2 });
    const { list, asked } = listOf(page([ROW], MORE), second, page([ROW], MORE));
    expect(await list.read(null)).toMatchObject({ next: '2', more: true, entries: [{ attemptId: ATTEMPT_ID }] });
    expect(await list.read('2')).toMatchObject({ next: '1', more: false, entries: [{ attemptId: OTHER_ID }] });
    // An end is told once.
    expect(await list.read('1')).toEqual({ entries: [], next: '2', more: true });
    expect(asked).toEqual(['/v1/transfers?page=1', '/v1/transfers?page=2', '/v1/transfers?page=1']);
  });

  it('tell an end again later: whoever heard it may not have kept it', async () => {
    const { list, asked } = listOf(page([ROW]), page([ROW]), page([ROW]), page([ROW]));
    const told = async (): Promise<number | undefined> => (await list.read('1'))?.entries.length;
    expect(await told()).toBe(1);
    clock.advance(12 * 3_600_000 - 1);
    expect(await told()).toBe(0);
    clock.advance(60_000);
    expect(await told()).toBe(1);
    clock.advance(60_000);
    expect(await told()).toBe(0);
    expect(asked).toHaveLength(4);
  });

  it('tell another end of the same transfer', async () => {
    const { list } = listOf(page([ROW], MORE), page([{ ...ROW, status: 'reverted' }], { current_page: 2 }));
    expect((await list.read(null))?.entries).toMatchObject([{ event: 'paid' }]);
    expect((await list.read('2'))?.entries).toMatchObject([{ event: 'not_paid' }]);
  });

  it('are asked for again at once where they could not be read', async () => {
    const { list, asked } = listOf({ kind: 'no_answer', detail: 'HTTP 502' }, page([ROW]));
    expect(await list.read('1')).toBeNull();
    expect(await list.read('1')).toMatchObject({ entries: [{ attemptId: ATTEMPT_ID }] });
    expect(asked).toHaveLength(2);
  });

  it.each(['0', '-1', '501', '1.5', 'x', ''])('begin anew at the cursor %j', async (cursor) => {
    const { list, asked } = listOf(page([ROW]));
    await list.read(cursor);
    expect(asked).toEqual(['/v1/transfers?page=1']);
  });
});
