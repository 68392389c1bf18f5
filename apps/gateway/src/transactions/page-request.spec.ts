import { describe, expect, it } from '@jest/globals';
import { optional, patternText } from '@vuka/domain';

import { parseJsonBody } from '../http/json-body.js';
import { readPage } from './page-request.js';

const OWN = { name: optional(patternText({ pattern: /^[a-z]+$/, rule: 'small letters' })) };
const DAYS = { start_date: '2026-01-01', end_date: '2026-01-31' };

/** Numbers keep their raw text, as from the edge. */
function read(body: object | string): ReturnType<typeof readPage<typeof OWN>> {
  const parsed = parseJsonBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
  if (!parsed.ok) throw new Error(parsed.error.message);
  return readPage(parsed.value, OWN);
}

const faultsOf = (body: object | string): readonly string[] => {
  const answer = read(body);
  return answer.ok ? [] : answer.error.map(({ pointer }) => pointer);
};

describe('the days of a list', () => {
  it('are whole days in UTC, both included', () => {
    expect(read({ start_date: '2026-01-31', end_date: '2026-02-01' })).toMatchObject({
      ok: true,
      value: {
        page: { from: '2026-01-31T00:00:00.000Z', before: '2026-02-02T00:00:00.000Z', limit: 1000, cursor: null },
      },
    });
    expect(read({ start_date: '2024-02-29', end_date: '2024-02-29' })).toMatchObject({
      ok: true,
      value: { page: { from: '2024-02-29T00:00:00.000Z', before: '2024-03-01T00:00:00.000Z' } },
    });
    expect(
      read({ start_date: '0001-01-01', end_date: '0001-01-01' }).ok &&
        read({ start_date: '9998-12-31', end_date: '9998-12-31' }).ok,
    ).toBe(true);
  });

  it.each([
    '2026-02-29',
    '2026-02-30',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-32',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026/01/01',
    '0000-01-01',
    '9999-12-31',
    '+002026-01-01',
    '٢٠٢٦-٠١-٠١',
    'today',
  ])('are refused at %j', (date) => {
    expect(faultsOf({ ...DAYS, start_date: date })).toEqual(['/start_date']);
    expect(faultsOf({ start_date: '2026-01-01', end_date: date })).toEqual(['/end_date']);
  });

  it.each([20260101, true, ['2026-01-01'], { day: 1 }])('are no %j', (value) => {
    expect(faultsOf({ ...DAYS, end_date: value })).toEqual(['/end_date']);
  });

  it('must both be there, the end not before the start, at most 400 days after it', () => {
    expect(faultsOf({})).toEqual(['/start_date', '/end_date']);
    expect(faultsOf({ start_date: '', end_date: null })).toEqual(['/start_date', '/end_date']);
    expect(faultsOf({ start_date: '2026-01-02', end_date: '2026-01-01' })).toEqual(['/end_date']);
    expect(faultsOf({ start_date: '2025-01-01', end_date: '2026-02-05' })).toEqual([]);
    expect(faultsOf({ start_date: '2025-01-01', end_date: '2026-02-06' })).toEqual(['/end_date']);
  });
});

describe('the page of a list', () => {
  it.each([
    ['1', 1],
    ['1000', 1000],
    ['"7"', 7],
    ['"1000"', 1000],
    ['"007"', 7],
    ['""', 1000],
    ['null', 1000],
  ])('has %s rows', (limit, rows) => {
    expect(read(`{"start_date":"2026-01-01","end_date":"2026-01-01","limit":${limit}}`)).toMatchObject({
      ok: true,
      value: { page: { limit: rows } },
    });
  });

  it.each([
    '0',
    '1001',
    '-1',
    '1.5',
    '1.0',
    '1000.0',
    '"1.0"',
    '"1."',
    '"+1"',
    '"٣"',
    '1e2',
    '"1e2"',
    '" 1"',
    '"x"',
    'true',
    '[1]',
    '{}',
    '99999999999999999999',
    `"${'0'.repeat(100)}1"`,
  ])('does not have %s rows', (limit) => {
    expect(faultsOf(`{"start_date":"2026-01-01","end_date":"2026-01-01","limit":${limit}}`)).toEqual(['/limit']);
  });

  it('continues after a cursor, which has at most 200 characters', () => {
    expect(read({ ...DAYS, cursor: 'abc' })).toMatchObject({ ok: true, value: { page: { cursor: 'abc' } } });
    for (const cursor of ['x'.repeat(201), 12, ['a'], 'a\nb'])
      expect(faultsOf({ ...DAYS, cursor })).toEqual(['/cursor']);
  });

  it('tells every fault at once, in the order of the fields', () => {
    expect(faultsOf({ name: 'X', start_date: 'x', end_date: 'y', limit: 0, cursor: 1 })).toEqual([
      '/name',
      '/start_date',
      '/end_date',
      '/limit',
      '/cursor',
    ]);
    expect(faultsOf({ name: 'X', start_date: '2026-01-02', end_date: '2026-01-01', limit: 0 })).toEqual([
      '/name',
      '/end_date',
      '/limit',
    ]);
  });
});
