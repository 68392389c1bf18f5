import { describe, expect, it } from '@jest/globals';

import { classifyDeliveryError, requestTarget } from './post-webhook.js';

describe('requestTarget', () => {
  it.each([
    ['https://a.example/hook', 'https://a.example', '/hook'],
    ['https://a.example', 'https://a.example', '/'],
    ['https://a.example?x=1', 'https://a.example', '/?x=1'],
    ['https://a.example/hook?', 'https://a.example', '/hook?'],
    ['http://a.example:8080/h?b=%7e&a=%7E+\'"<>|{}', 'http://a.example:8080', '/h?b=%7e&a=%7E+\'"<>|{}'],
    ['https://a.example/h?u=http://b/?c&c#frag?x', 'https://a.example', '/h?u=http://b/?c&c'],
    ['https://a.example/h#frag?x', 'https://a.example', '/h'],
    ['https://a.example/h?n=é', 'https://a.example', '/h?n=%C3%A9'],
  ])('keeps the query of %s as it is', (url, origin, path) => {
    expect(requestTarget(url)).toEqual({ origin, path });
  });
});

describe('classifyDeliveryError', () => {
  const coded = (code: string, cause?: unknown): Error => Object.assign(new Error('x', { cause }), { code });

  it.each([
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'unreachable'],
    ['ECONNRESET', 'connection_lost'],
    ['UND_ERR_SOCKET', 'connection_lost'],
    ['HPE_INVALID_CONSTANT', 'bad_response'],
    ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'bad_response'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['OUTBOUND_BLOCKED', 'blocked_address'],
    ['SOMETHING_ELSE', 'internal'],
  ])('%s is %s', (code, expected) => {
    expect(classifyDeliveryError(coded(code))).toBe(expected);
  });

  it('looks through causes', () => {
    expect(classifyDeliveryError(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }))).toBe('unreachable');
  });

  it('uses the name if there is no code', () => {
    expect(classifyDeliveryError(Object.assign(new Error('x'), { name: 'HTTPParserError', code: undefined }))).toBe(
      'bad_response',
    );
  });

  it('treats a value that is not an Error as our own fault', () => {
    expect(classifyDeliveryError('text')).toBe('internal');
  });
});
