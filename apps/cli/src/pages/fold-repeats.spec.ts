import { describe, expect, it } from '@jest/globals';

import { foldRepeats } from './fold-repeats.js';

const fold = (text: string): string =>
  foldRepeats([...text], (deadLetter) => deadLetter.toLowerCase())
    .map((stretch) => (stretch.kind === 'shown' ? stretch.items.join('') : `(${stretch.times})`))
    .join(' ');

describe('repeated steps are folded', () => {
  it.each([
    ['', ''],
    ['abc', 'abc'],
    ['ababab', 'ababab'],
    ['xababababababy', 'xab (4) aby'],
    ['xaBAbABabababy', 'xaB (4) aby'],
    ['aaaaaaaa', 'a (6) a'],
    ['abcdabcdabcdabcd', 'abcd (2) abcd'],
    ['ababababa', 'ab (2) aba'],
  ])('%s → %s', (text, folded) => expect(fold(text)).toBe(folded));

  it('loses no step', () => {
    const items = [...'xyababababababaaaaaaaaaaz'];
    expect(foldRepeats(items, String).flatMap((stretch) => stretch.items)).toEqual(items);
  });
});
