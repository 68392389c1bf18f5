import { describe, expect, it } from '@jest/globals';
import { ContractError } from '@vuka/runtime';
import fc from 'fast-check';

import { tagged, untagged } from './admin-codec.js';

const leaf = fc.oneof(
  fc.constant(undefined),
  fc.constant(null),
  fc.boolean(),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.bigInt({ min: -(10n ** 60n), max: 10n ** 60n }),
  fc.date({
    noInvalidDate: true,
    min: new Date('0001-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T00:00:00.000Z'),
  }),
);
const key = fc.oneof(
  fc.string(),
  fc.constantFrom('$date', '$bigint', '$map', '$undefined', '$object', '$', '__proto__', 'constructor'),
);
const anything = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('any'), { maxLength: 5 }),
    fc.dictionary(key, tie('any'), { maxKeys: 5, noNullPrototype: true }),
    fc.array(fc.tuple(leaf, tie('any')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
})).any;

describe('tagged JSON', () => {
  it('gives back what it was given, through text', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(untagged(JSON.parse(JSON.stringify(tagged(value))))).toEqual(value);
      }),
    );
  });

  it('keeps an object that looks like a tag apart from a tag', () => {
    const looks = { $date: '2026-11-22T00:00:00.000Z' };
    expect(untagged(JSON.parse(JSON.stringify(tagged(looks))))).toEqual(looks);
    expect(untagged(JSON.parse(JSON.stringify(tagged(new Date(looks.$date)))))).toEqual(new Date(looks.$date));
  });

  it.each([
    ['a function', () => 1],
    [
      'a class',
      new (class Person {
        readonly name = 'Ann';
      })(),
    ],
    ['no number', Number.NaN],
    ['no date', new Date(Number.NaN)],
    ['bytes', Buffer.from('a')],
    ['a symbol', Symbol('a')],
  ])('writes nothing that would come back as something else: %s', (_what, value) => {
    expect(() => tagged({ value })).toThrow(ContractError);
  });

  it('ends at a cycle, and at what is nested too deep', () => {
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    expect(() => tagged(cycle)).toThrow(ContractError);
    const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown;
    expect(() => untagged(deep)).toThrow(ContractError);
  });

  it.each([
    { $bigint: 'x' },
    { $bigint: 1 },
    { $date: 'tomorrow' },
    { $map: [1] },
    { $map: {} },
    { $object: 'a' },
    { $set: [] },
  ])('does not guess what %j means', (value) => {
    expect(() => untagged(value)).toThrow(ContractError);
  });
});
