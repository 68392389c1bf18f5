import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { compareDecimal, formatDecimal, formatLimit, MAX_DIGITS, parseDecimal } from './decimal.js';

const decimals = fc.integer({ min: 0, max: 18 });
const minor = fc.bigInt({ min: 0n, max: 10n ** BigInt(MAX_DIGITS) - 1n });

describe('parseDecimal', () => {
  it.each([
    ['100', 2, 10_000n],
    ['100.5', 2, 10_050n],
    ['100.000', 2, 10_000n],
    ['0100.10', 2, 10_010n],
    ['0', 2, 0n],
    ['500', 0, 500n],
    ['500.00', 0, 500n],
    ['0.000000000000000001', 18, 1n],
  ])('%s with %i decimals', (text, places, value) => {
    expect(parseDecimal(text, places)).toEqual({ ok: true, value });
  });

  it.each([
    '',
    ' ',
    '1e3',
    '1E3',
    '+1',
    '-1',
    '1.',
    '.5',
    '1,000',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '١٠',
    '1.2.3',
    '1_000',
    '5n',
  ])('refuses %j', (text) => {
    expect(parseDecimal(text, 2)).toMatchObject({
      ok: false,
      error: expect.stringContaining('must be a decimal number'),
    });
  });

  it('refuses digits beyond the decimals instead of rounding', () => {
    expect(parseDecimal('1.001', 2)).toEqual({ ok: false, error: 'must have at most 2 decimals' });
    expect(parseDecimal('1.5', 0)).toEqual({ ok: false, error: 'must be a whole number' });
  });

  it('refuses more digits than the ledger keeps', () => {
    expect(parseDecimal('9'.repeat(36), 2).ok).toBe(true);
    expect(parseDecimal('9'.repeat(37), 2)).toEqual({ ok: false, error: 'must have at most 38 digits' });
  });

  it('reads what formatDecimal wrote', () => {
    fc.assert(
      fc.property(minor, decimals, (value, places) => {
        expect(parseDecimal(formatDecimal(value, places), places)).toEqual({ ok: true, value });
      }),
    );
  });

  it('never throws, and what it accepts is what the text says', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,20}(\.\d{1,6})?$/)), decimals, (text, places) => {
        const parsed = parseDecimal(text, places);
        if (parsed.ok) expect(Number(formatDecimal(parsed.value, places))).toBeCloseTo(Number(text), 5);
      }),
    );
  });
});

describe('compareDecimal', () => {
  it.each([
    ['19.99', -1],
    ['19.999999', -1],
    ['20', 0],
    ['020.000', 0],
    ['20.0000001', 1],
    ['9'.repeat(100), 1],
  ])('puts %s beside 20.00', (text, side) => {
    expect(compareDecimal(text, 20_00n, 2)).toBe(side);
  });

  it.each(['', '1e3', '-1', '1.', '1,000', ' 1', '9'.repeat(101)])('has no side for %j', (text) => {
    expect(compareDecimal(text, 20_00n, 2)).toBeNull();
  });

  it('agrees with parseDecimal, and moves with one more digit', () => {
    fc.assert(
      fc.property(minor, minor, decimals, (value, limit, places) => {
        const text = formatDecimal(value, places);
        expect(compareDecimal(text, limit, places)).toBe(value === limit ? 0 : value < limit ? -1 : 1);
        const more = places === 0 ? `${text}.1` : `${text}1`;
        expect(compareDecimal(more, limit, places)).toBe(value < limit ? -1 : 1);
      }),
    );
  });
});

describe('formatDecimal', () => {
  it.each([
    [50_000n, 2, '500.00'],
    [500n, 0, '500'],
    [5n, 2, '0.05'],
    [0n, 2, '0.00'],
    [-5n, 2, '-0.05'],
  ])('%s with %i decimals', (value, places, text) => {
    expect(formatDecimal(value, places)).toBe(text);
  });

  it('shows limits in groups, without empty decimals', () => {
    expect(formatLimit(250_000_00n, 2)).toBe('250,000');
    expect(formatLimit(100_00n, 2)).toBe('100');
    expect(formatLimit(1_050n, 2)).toBe('10.50');
  });
});
