import { describe, expect, it } from '@jest/globals';

import { railText } from './rail-text.js';

describe('a text of a rail', () => {
  it.each([
    ['TEST 6789', 'TEST 6789'],
    ['Ünïcødé 💶', 'Ünïcødé 💶'],
    ['  MARY\u0000\n WANJIKU\u001b ', 'MARY  WANJIKU'],
    ['\uD83D half \uDCB6', '\uFFFD half \uFFFD'],
    ['\u0000\u0007', ''],
    ['', ''],
  ])('%j becomes %j', (text, clean) => expect(railText(text, 100)).toBe(clean));

  it('is cut to its length, and never leaves half of a character', () => {
    expect(railText('x'.repeat(150), 100)).toBe('x'.repeat(100));
    expect(railText(`${'x'.repeat(99)}💶`, 100)).toBe(`${'x'.repeat(99)}\uFFFD`);
  });
});
