import { describe, expect, it } from '@jest/globals';
import { colourPaint, oneLine, paintFor, plainPaint, textTable } from '@vuka/terminal';

import { durationText, moneyText, plural, relativeText } from './text-values.js';

const NOW = new Date('2026-05-12T09:30:00.000Z');

describe('money', () => {
  it.each([
    ['1500.00', 'KES 1,500.00'],
    ['-20000000.00', 'KES -20,000,000.00'],
    ['0.05', 'KES 0.05'],
    ['999', 'KES 999'],
    ['1000', 'KES 1,000'],
  ])('%s is %s', (amount, text) => expect(moneyText({ amount, currency: 'KES' })).toBe(text));
});

describe('times', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [3_600_000, '1 h 00 min'],
    [86_400_000, '1 d 0 h'],
    [-5, '0 ms'],
  ])('%i ms lasts %s', (ms, text) => expect(durationText(ms)).toBe(text));

  it.each([
    ['2026-05-12T09:29:57.000Z', '3 s ago'],
    ['2026-05-12T09:30:12.000Z', 'in 12 s'],
    ['2026-05-12T09:30:00.400Z', 'now'],
  ])('%s is %s', (at, text) => expect(relativeText(at, NOW)).toBe(text));

  it('counts in words', () =>
    expect([plural(1, 'try', 'tries'), plural(1_200, 'try', 'tries')]).toEqual(['1 try', '1,200 tries']));
});

describe('a table', () => {
  const columns = [
    { title: 'code' },
    { title: 'empty' },
    { title: 'amount', align: 'right' as const },
    { title: 'why', atMost: 8 },
  ];

  it('is aligned without counting colours, leaves out empty columns, and cuts long cells with an ellipsis', () => {
    const rows = [
      ['a', '', '1.00', 'short'],
      [colourPaint.red('longer'), '', '100.00', 'far too long'],
    ];
    expect(textTable(columns, rows, plainPaint)).toEqual([
      'code    amount  why',
      'a         1.00  short',
      `${colourPaint.red('longer')}  100.00  far too…`,
    ]);
  });

  it('is never broken or coloured by its values', () => expect(oneLine('a\u001b[2Jb\nc\u202ed')).toBe('a·[2Jb·c·d'));
});

describe('colour', () => {
  it.each([
    [{ isTTY: true }, {}, colourPaint],
    [{}, {}, plainPaint],
    [{ isTTY: true }, { NO_COLOR: '1' }, plainPaint],
    [{ isTTY: true }, { NO_COLOR: '' }, colourPaint],
    [{ isTTY: true }, { TERM: 'dumb' }, plainPaint],
  ])('on %j with %j', (stream, env, paint) => expect(paintFor(stream, env)).toBe(paint));
});
