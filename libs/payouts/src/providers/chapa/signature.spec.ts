import { describe, expect, it } from '@jest/globals';

import { proofOf } from './signature.js';
import { callbackOf, hmac, SECRET, SHAPES } from './shapes.spec-support.js';

const BODY = JSON.stringify(SHAPES.webhook);
/** As a server in PHP writes it. */
const SPACED = JSON.stringify(SHAPES.webhook, null, 2).replaceAll('/', '\\/');
const proof = (headers: Record<string, string | string[] | undefined>, body = BODY, secrets = [SECRET]) =>
  proofOf(callbackOf(body, headers), secrets).proof;

describe('a signature', () => {
  it('proves the bytes as they came', () => {
    expect(proofOf(callbackOf(BODY, { 'x-chapa-signature': hmac(BODY) }), [SECRET])).toEqual({
      proof: 'payload',
      detail: '',
    });
    expect(proof({ 'X-Chapa-Signature': hmac(SPACED).toUpperCase() }, SPACED)).toBe('payload');
  });

  it('proves what JavaScript would write of them, as their example does', () => {
    expect(proof({ 'x-chapa-signature': hmac(BODY) }, SPACED)).toBe('payload');
    // Of two members of one name, what is read is what is signed.
    const twice = BODY.replace('{', '{"status":"failed",');
    expect(proof({ 'x-chapa-signature': hmac(BODY) }, twice)).not.toBe('payload');
  });

  it('counts in either header, and by each secret in force', () => {
    expect(proof({ 'chapa-signature': hmac(BODY) })).toBe('payload');
    expect(proof({ 'x-chapa-signature': hmac(BODY, 'the-one-before-it') }, BODY, [SECRET, 'the-one-before-it'])).toBe(
      'payload',
    );
    expect(proof({ 'x-chapa-signature': ['00', hmac(BODY)] })).toBe('payload');
  });

  it('of the secret alone is a constant, in either header', () => {
    expect(proof({ 'chapa-signature': hmac(SECRET) })).toBe('constant');
    expect(proof({ 'x-chapa-signature': hmac(SECRET) })).toBe('constant');
    expect(proof({ 'x-chapa-signature': hmac('another payload'), 'chapa-signature': hmac(SECRET) })).toBe('constant');
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['none', {}],
    ['an absent one', { 'x-chapa-signature': undefined }],
    ['an empty one', { 'x-chapa-signature': '' }],
    ['one of another secret', { 'x-chapa-signature': hmac(BODY, 'another-secret-of-x') }],
    ['one of another payload', { 'x-chapa-signature': hmac(BODY.replace('2000', '9000')) }],
    ['half of one', { 'x-chapa-signature': hmac(BODY).slice(0, 32) }],
    ['more than one', { 'x-chapa-signature': `${hmac(BODY)}00` }],
    ['no hex', { 'x-chapa-signature': 'z'.repeat(64) }],
    ['one in another header', { 'x-signature': hmac(BODY) }],
  ])('%s proves nothing', (_title, headers) => {
    expect(proof(headers)).toBe('nothing');
  });

  it('proves nothing where we have no secret, nor by the empty one', () => {
    expect(proofOf(callbackOf(BODY, { 'x-chapa-signature': hmac(BODY) }), [])).toEqual({
      proof: 'nothing',
      detail: 'signatures are not checked: its secret has no signing_secret',
    });
    expect(proof({ 'x-chapa-signature': hmac(BODY, '') })).toBe('nothing');
  });

  it.each(['', '{', 'null', '[]', '"text"'])('over %j is one as well', (body) => {
    expect(proof({ 'x-chapa-signature': hmac(body) }, body)).toBe('payload');
  });

  it('is never told', () => {
    for (const headers of [{ 'x-chapa-signature': hmac('x') }, { 'chapa-signature': hmac(SECRET) }, {}])
      expect(proofOf(callbackOf(BODY, headers), [SECRET]).detail).not.toContain(SECRET.slice(0, 8));
  });
});
