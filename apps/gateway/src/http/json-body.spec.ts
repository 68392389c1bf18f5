import { describe, expect, it } from '@jest/globals';
import { isRawNumber } from '@vuka/domain';

import { isBlank, isJsonType, parseJsonBody } from './json-body.js';

const parse = (text: string): ReturnType<typeof parseJsonBody> => parseJsonBody(Buffer.from(text));

describe('JSON body', () => {
  it('keeps numbers as they were written', () => {
    const body = parse('{"a":100.00,"b":1E2,"c":12345678901234567890}');
    if (!body.ok) throw new Error(body.error.message);
    expect(Object.values(body.value).every(isRawNumber)).toBe(true);
    expect(Object.values(body.value).map(String)).toEqual(['100.00', '1E2', '12345678901234567890']);
  });

  it('has no prototype to reach', () => {
    const body = parse('{"__proto__":{"amount":1},"x":1}');
    if (!body.ok) throw new Error(body.error.message);
    expect(Object.getPrototypeOf(body.value)).toBeNull();
    expect(body.value['amount']).toBeUndefined();
    expect(({} as Record<string, unknown>)['amount']).toBeUndefined();
    expect(body.value['toString']).toBeUndefined();
  });

  it('accepts 32 levels and not more, without counting brackets in strings', () => {
    const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(parse(nested(32)).ok).toBe(true);
    expect(parse(nested(33)).ok).toBe(false);
    expect(parse(`{"a":"${'[{'.repeat(100)}\\"["}`).ok).toBe(true);
  });

  it('accepts surrogate pairs and other escapes, but no single surrogate', () => {
    expect(parse('{"a":"\\ud83d\\ude00\\u00e9\\n"}')).toMatchObject({ ok: true, value: { a: '😀é\n' } });
    for (const half of ['\\ud83d', '\\ude00', '\\ude00\\ud83d', 'x\\ud83dx'])
      expect(parse(`{"a":["${half}"]}`).ok).toBe(false);
  });

  it.each(['', ' ', ' \t\r\n '])('reads an empty body as {}: %j', (text) => {
    expect(parse(text)).toEqual({ ok: true, value: {} });
    expect(isBlank(Buffer.from(text))).toBe(true);
  });

  it.each(['{}', ' x', '\u00a0', '\ufeff', '\0', '\v'])('does not read %j as an empty body', (text) => {
    expect(isBlank(Buffer.from(text))).toBe(false);
  });

  it('repeats nothing of the body in its error', () => {
    const answer = parse('{"secret-123": oops}');
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(JSON.stringify(answer)).not.toContain('oops');
  });

  it.each([
    ['application/json', true],
    ['APPLICATION/JSON ;charset=utf-8', true],
    ['application/vnd.api+json', true],
    ['application/jsonp', false],
    ['text/json', false],
    ['application/json, text/plain', false],
    ['', true],
    ['application/json; charset="UTF-8"', true],
    ['application/json;charset=utf8;x=y', true],
    ['application/json; x=y', true],
    ['application/json; charset=iso-8859-1', false],
    ['application/json; charset="utf-16"', false],
    ['application/json; charset = utf-16', false],
    ['application/json; charset=utf-8; charset=latin1', false],
    ['application/json; charset="utf-8', false],
    ['application/json; charset=', false],
  ])('content type %j is JSON: %s', (type, is) => {
    expect(isJsonType(type)).toBe(is);
  });
});
