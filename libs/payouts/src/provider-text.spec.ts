import { describe, expect, it } from '@jest/globals';

import { providerCode, providerText } from './provider-text.js';

describe('a text of a provider', () => {
  it.each([
    ['TEST 6789', 'TEST 6789'],
    ['Ünïcødé 💶', 'Ünïcødé 💶'],
    ['  MARY\u0000\n WANJIKU\u001b ', 'MARY  WANJIKU'],
    ['\uD83D half \uDCB6', '\uFFFD half \uFFFD'],
    ['\u0000\u0007', ''],
    ['', ''],
  ])('%j becomes %j', (text, clean) => expect(providerText(text, 100)).toBe(clean));

  it('is cut to its length, and never leaves half of a character', () => {
    expect(providerText('x'.repeat(150), 100)).toBe('x'.repeat(100));
    expect(providerText(`${'x'.repeat(99)}💶`, 100)).toBe(`${'x'.repeat(99)}\uFFFD`);
  });
});

describe('a code of a provider', () => {
  it.each(['INVALID_REQUEST', 'E42', 'A'])('%s is one that a log may hold', (code) =>
    expect(providerCode(code)).toBe(code),
  );

  it.each([
    undefined,
    '',
    'no account',
    '0110123456789',
    'ACCOUNT_0110123456789',
    '42',
    'Mary',
    'A'.repeat(41),
    'A\nB',
  ])('%j is none', (code) => {
    expect(providerCode(code)).toBe('without a readable code');
  });
});
