import { describe, expect, it } from '@jest/globals';

import { parseIdempotencyKey } from './idempotency-key.js';

describe('Idempotency-Key', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['""', null],
    ['abc', 'abc'],
    ['"abc"', 'abc'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%j is %j', (header, key) => {
    expect(parseIdempotencyKey(header)).toEqual({ ok: true, value: key });
  });

  it.each([['"'], ['"abc'], ['a"b'], ['"a\\b"'], ['é'], ['x'.repeat(256)], [`"${'x'.repeat(256)}"`], [['a', 'b']]])(
    'refuses %j',
    (header) => {
      expect(parseIdempotencyKey(header)).toMatchObject({ ok: false, error: { code: 'invalid_request' } });
    },
  );
});
