import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { isName, nameOf, samePerson } from './two-people.js';

describe('one person', () => {
  it.each([
    ['amina', ' Amina '],
    ['Amina Otieno', 'AMINA\u00a0 OTIENO'],
    ['Amina Otieno', 'amina\totieno'],
    ['José', 'Jose\u0301'],
    ['Amina', 'Ａｍｉｎａ'],
    ['Strauß', 'STRAUSS'],
    ['Amina', 'A\u200bmina\ufeff'],
    ['Ὀδυσσεύς', 'ὈΔΥΣΣΕΎΣ'],
    ['ﬁona', 'FIONA'],
    ['Amina', '\u0410mina'],
    ['scope', '\u0455\u0441\u043e\u0440\u0435'],
    ['Nikos', 'ΝΙΚΟ\u0405'],
    ['Amina', 'Amina\u2800'],
    ['Amina', 'Am\ufff9ina'],
  ])('is %j and %j', (a, b) => {
    expect(samePerson(a, b)).toBe(true);
    expect(samePerson(b, a)).toBe(true);
  });

  it('is the same person in any spacing and letter case', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.constantFrom(' ', '\t', '\u00a0', '\u200d', ''),
        (name, around) => {
          expect(samePerson(name, `${around}${name}${around}`)).toBe(true);
          expect(samePerson(name, nameOf(name))).toBe(true);
        },
      ),
    );
    for (const [a, b] of [
      ['Amina', 'Amin'],
      ['Amina', 'Brian'],
      ['Amina', 'Amína'],
      ['A B', 'AB'],
    ] as const)
      expect(samePerson(a, b)).toBe(false);
  });

  it('has a name that somebody can read', () => {
    expect([isName('A'), isName(' '), isName('\u200b'), isName(''), isName('x'.repeat(101))]).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
