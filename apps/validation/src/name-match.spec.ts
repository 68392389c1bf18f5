import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { matchNames } from './name-match.js';

describe('two names', () => {
  it.each([
    ['Mary Wanjiku', 'MARY WANJIKU'],
    ['Wanjiku, Mary', 'Mary  Wanjiku '],
    ['Chloé N’Diaye', 'CHLOE NDIAYE'],
    ["O'Brien", 'O’BRIEN'],
    ['Anne-Marie Achieng', 'ACHIENG ANNE MARIE'],
    ['Strauß', 'STRAUSS'],
    ['STRAUẞ', 'strauss'],
    ['Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
    ['Ọlábísí Adéṣínà', 'Adesina Olabisi'],
    ['J.K. Kamau', 'k j KAMAU'],
    ['አበበ ቢቂላ', 'ቢቂላ አበበ'],
    ['Ｊｏｈｎ Doe', 'john doe'],
    ['Mama Mama Pima', 'mama pima MAMA'],
    ['TEST 4321', 'test 4321'],
    ['ISTANBUL İpek', 'istanbul ipek'],
    ['Jo\u00ADhn\u200B Doe', 'John Doe'],
  ])('%j is %j', (sent, resolved) => {
    expect(matchNames(sent, resolved)).toBe('exact');
  });

  it.each([
    ['Mary Wanjiku', 'MARY WANJIKU KAMAU'],
    ['Mary Akinyi', 'Mary Wanjiku'],
    ['M Wanjiku', 'Mary Wanjiku'],
    ['Mama Pima', 'mama pima mama'],
    ['Mama Mama Pima', 'Mama Pima Pima'],
  ])('%j is partly %j', (sent, resolved) => {
    expect(matchNames(sent, resolved)).toBe('partial');
  });

  it.each([
    ['Mary Wanjiku', 'Peter Otieno'],
    ['M W', 'Mary Wanjiku'],
    // A common initial does not count.
    ['K Doe', 'K Smith'],
    ['Mary', 'Marygold'],
    ['', 'Mary'],
    ['Mary', ''],
    ['- . ,', '. - ,'],
    ['\u0301', '\u0301'],
  ])('%j is not %j', (sent, resolved) => {
    expect(matchNames(sent, resolved)).toBe('none');
  });

  it.each([
    ['John Mary Maina', 'john M****** M******', 'partial'],
    ['John', 'john M****** M******', 'partial'],
    // What is seen of the masked words is no word.
    ['John M M', 'john M****** M******', 'partial'],
    ['Jo M', 'JO* M*', 'none'],
    ['Mary', 'M***', 'none'],
    ['M', 'M***', 'none'],
    ['Peter Maina', 'john M****** M******', 'none'],
  ])('%j is never exactly the masked %j', (sent, resolved, match) => {
    expect(matchNames(sent, resolved)).toBe(match);
  });

  it('says none if there is nothing to compare with', () => {
    expect(matchNames('Mary Wanjiku', null)).toBe('none');
  });

  it('looks at 200 characters, whatever comes', () => {
    expect(matchNames(`Mary ${'x'.repeat(1_000_000)}`, `Mary ${'x'.repeat(195)}`)).toBe('exact');
  });
});

/** Few letters, so that words coincide; and any text. */
const nearName = fc
  .array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', 'ß', 'Σ', 'ı', "'", '.'), minLength: 1, maxLength: 3 }), {
    maxLength: 4,
  })
  .map((words) => words.join(' '));
const anyName = fc.string({ unit: 'binary', maxLength: 60 });
// A star masks a word, which is then no word.
const name = fc
  .oneof(nearName, anyName, fc.string({ unit: 'grapheme', maxLength: 30 }))
  .map((text) => text.replaceAll(/\p{L}\*/gu, '-'));
const isName = (text: string): boolean => matchNames(text, text) === 'exact';
/** Greek iota subscript is a mark on small letters, but a character of its own beside capitals; no name has it. */
const hasIotaSubscript = (text: string): boolean => text.normalize('NFD').includes('\u0345');

describe('of any names', () => {
  it('a comparison is the same from both sides', () => {
    fc.assert(
      fc.property(name, name, (one, other) => matchNames(one, other) === matchNames(other, one)),
      { numRuns: 2_000 },
    );
  });

  it('each is exactly itself, and where it has no letter and no digit nobody', () => {
    fc.assert(
      fc.property(name, fc.constantFrom('Q', '7'), (one, letter) => isName(`${letter} ${one}`)),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(' ', '.', "'", '\u0301', '\u200B', '-') }),
        (one) => matchNames(one, one) === 'none',
      ),
    );
  });

  it('letter case does not count, of any letter there is', () => {
    const letters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
      (letter) => /\p{L}/u.test(letter) && !hasIotaSubscript(letter),
    );
    expect(letters.length).toBeGreaterThan(100_000);
    expect(
      letters.filter(
        (letter) =>
          isName(letter) &&
          [letter.toUpperCase(), letter.toLowerCase()].some((other) => matchNames(letter, other) !== 'exact'),
      ),
    ).toEqual([]);
  });

  it('letter case does not count, in any text', () => {
    fc.assert(
      fc.property(name, (one) => {
        fc.pre(isName(one) && !hasIotaSubscript(one));
        return [one.toUpperCase(), one.toLowerCase()].every((other) => matchNames(one, other) === 'exact');
      }),
      { numRuns: 3_000 },
    );
  });

  it('accents do not count, composed or not', () => {
    const accented = fc.array(
      fc.tuple(
        fc.constantFrom('a', 'e', 'n', 'o', 'S', ' '),
        fc.constantFrom('', '\u0301', '\u0323', '\u0303', '\u0323\u0301'),
      ),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(accented, (letters) => {
        const plain = letters.map(([letter]) => letter).join('');
        fc.pre(isName(plain));
        const marked = letters.map(([letter, marks]) => letter + marks).join('');
        return [marked, marked.normalize('NFC'), marked.normalize('NFD')].every(
          (other) => matchNames(plain, other) === 'exact',
        );
      }),
    );
  });

  it('the order of words does not count', () => {
    const shuffled = fc
      .array(fc.string({ unit: fc.constantFrom('a', 'B', 'ç', '1'), minLength: 1, maxLength: 4 }), {
        minLength: 1,
        maxLength: 6,
      })
      .chain((words) =>
        fc.tuple(fc.constant(words), fc.shuffledSubarray(words, { minLength: words.length, maxLength: words.length })),
      );
    fc.assert(fc.property(shuffled, ([words, other]) => matchNames(words.join(' '), other.join(', ')) === 'exact'));
  });

  it('what is exact for one of two is exact for all: it is an equality', () => {
    fc.assert(
      fc.property(
        nearName,
        nearName,
        nearName,
        (a, b, c) => !(matchNames(a, b) === 'exact' && matchNames(b, c) === 'exact') || matchNames(a, c) === 'exact',
      ),
      { numRuns: 2_000 },
    );
  });
});
