import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ProviderCallback } from '../../payout-provider.js';
import { keyIdOf, type Keys, signatureBase, verifyCallback } from './signature.js';
import {
  COMPONENTS,
  HOST,
  KEY_ID,
  NOW,
  PATH,
  publicKey,
  signedCallback,
  type Signing,
  withHeader,
} from './signing.spec-support.js';
import { readBytes, readDictionary, readSignatureInput } from './structured-fields.js';

const KEYS: Keys = new Map([[KEY_ID, publicKey]]);
const RULES = { host: HOST, nowMs: NOW.getTime(), maxAgeMs: 300_000, skewMs: 60_000 };
const CREATED = NOW.getTime() / 1_000;
const BODY = '{"payoutId":"x","amount":"1500"}';

function told(callback: ProviderCallback, changes: Partial<typeof RULES> = {}, keys = KEYS): string {
  const verdict = verifyCallback(callback, keys, { ...RULES, ...changes });
  return verdict.valid ? 'valid' : verdict.detail;
}
const signed = (given: Signing = {}): string => told(signedCallback({ body: BODY, ...given }));

describe('a signed callback', () => {
  it.each([
    ['der', 'sha512'],
    ['der', 'sha256'],
    ['ieee-p1363', 'sha512'],
    ['ieee-p1363', 'sha256'],
  ] as const)('is taken with a %s signature and %s', (dsaEncoding, digest) => {
    for (let round = 0; round < 20; round++) expect(signed({ dsaEncoding, digest })).toBe('valid');
  });

  it('is taken whatever the case of header names and of the host', () => {
    const callback = signedCallback({ body: BODY });
    const lower = Object.fromEntries(
      Object.entries(callback.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    expect(told({ ...callback, headers: lower, host: HOST.toUpperCase() })).toBe('valid');
  });

  it('has the base of RFC 9421', () => {
    const callback = signedCallback({ body: BODY, path: `${PATH}?a=1` });
    const raw = '("@method" "@authority" "@path" "@query" "content-type");created=1;keyid="k"';
    const input = readSignatureInput(raw);
    expect(input && signatureBase(callback, input)).toBe(
      [
        '"@method": POST',
        `"@authority": ${HOST}`,
        `"@path": ${PATH}`,
        '"@query": ?a=1',
        '"content-type": application/json; charset=UTF-8',
        `"@signature-params": ${raw}`,
      ].join('\n'),
    );
  });

  it('is taken from among others, by its label', () => {
    const callback = signedCallback({ body: BODY });
    const { Signature: signature, 'Signature-Input': input } = callback.headers;
    const proxied = withHeader(callback, 'Signature', `proxy=:AAAA:, ${String(signature)}`);
    expect(told(withHeader(proxied, 'Signature-Input', `proxy=("@method");keyid="a,b", ${String(input)}`))).toBe(
      'valid',
    );
  });
});

describe('a callback is refused', () => {
  it('where a byte of its body was altered, or its digest is wrong', () => {
    const callback = signedCallback({ body: BODY });
    expect(told({ ...callback, body: Buffer.from(BODY.replace('1500', '1501')) })).toBe('not the digest of the body');
    expect(told({ ...callback, body: Buffer.from(`${BODY}\n`) })).toBe('not the digest of the body');
    for (const digest of [undefined, '', 'md5=:AAAA:', 'sha-512=AAAA', 'sha-512=:AAAA:'])
      expect(told(withHeader(callback, 'Content-Digest', digest))).toBe('not the digest of the body');
  });

  it('where one of two digests is wrong', () => {
    const callback = signedCallback({ body: BODY });
    const both = `${String(callback.headers['Content-Digest'])}, sha-256=:AAAA:`;
    expect(told(withHeader(callback, 'Content-Digest', both))).toBe('not the digest of the body');
  });

  it('where a header that is covered was altered or taken away', () => {
    const callback = signedCallback({ body: BODY });
    expect(told(withHeader(callback, 'Content-Type', 'application/json'))).toBe('not signed by this key');
    expect(told(withHeader(callback, 'Content-Type', undefined))).toBe('covers what is not there');
    expect(told(withHeader(callback, 'Signature-Date', new Date(NOW.getTime() - 1_000).toISOString()))).toBe(
      'not signed by this key',
    );
    expect(told({ ...callback, method: 'PUT' })).toBe('not signed by this key');
  });

  it('where its digest was made anew for another body', () => {
    const genuine = signedCallback({ body: BODY });
    const other = signedCallback({ body: BODY.replace('1500', '9999') });
    const forged = withHeader(
      { ...genuine, body: other.body },
      'Content-Digest',
      String(other.headers['Content-Digest']),
    );
    expect(told(forged)).toBe('not signed by this key');
  });

  it("where it was another merchant's: another host or path", () => {
    const theirs = signedCallback({ body: BODY, host: 'evil.example' });
    expect(told(theirs)).toBe('sent to another host');
    expect(told({ ...theirs, host: HOST })).toBe('not signed by this key');
    expect(told({ ...signedCallback({ body: BODY, path: '/other' }), path: PATH })).toBe('not signed by this key');
  });

  it.each(['@method', '@authority', '@path', 'content-digest'])('where it does not cover %s', (left) => {
    expect(signed({ components: COMPONENTS.filter((name) => name !== left) })).toBe('covers too little');
  });

  it('where it covers what is not there or not known', () => {
    for (const name of ['x-missing', '@status', '@scheme']) {
      const { headers, ...callback } = signedCallback({ body: BODY });
      const input = String(headers['Signature-Input']).replace('"content-type"', `"content-type" "${name}"`);
      expect(told({ ...callback, headers: { ...headers, 'Signature-Input': input } })).toBe('covers what is not there');
    }
  });

  it('where the label is another one', () => {
    expect(signed({ label: 'sig-other' })).toBe('no readable signature under sig-pp');
    const callback = signedCallback({ body: BODY });
    const renamed = String(callback.headers['Signature']).replace('sig-pp', 'sig-b');
    expect(told(withHeader(callback, 'Signature', renamed))).toBe('no readable signature under sig-pp');
  });

  it('where it is signed twice under one label', () => {
    const callback = signedCallback({ body: BODY });
    const twice = String(callback.headers['Signature']);
    expect(told(withHeader(callback, 'Signature', `${twice}, ${twice}`))).toBe('no readable signature under sig-pp');
  });

  it('where the key is not known, not the one that signed, or of another kind', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    expect(told(signedCallback({ body: BODY }), {}, new Map())).toBe('an unknown key');
    expect(signed({ key: other.privateKey })).toBe('not signed by this key');
    const callback = signedCallback({ body: BODY, key: p384.privateKey });
    expect(told(callback, {}, new Map([[KEY_ID, p384.publicKey]]))).toBe('not signed by this key');
    expect(signed({ hash: 'sha512' })).toBe('not signed by this key');
  });

  it('where the algorithm is another one', () => {
    for (const alg of ['hmac-sha256', 'none', 'rsa-pss-sha512', 'ecdsa-p384-sha384'])
      expect(signed({ params: `;alg="${alg}";keyid="${KEY_ID}";created=${CREATED}` })).toBe('another algorithm');
  });

  it('where it is too old, of the future, expired, or without a time', () => {
    const at = (ms: number): Date => new Date(NOW.getTime() + ms);
    const fresh = (date: Date): string =>
      signed({ date, params: `;keyid="${KEY_ID}";created=${date.getTime() / 1_000}` });
    expect([fresh(at(-300_000)), fresh(at(60_000))]).toEqual(['valid', 'valid']);
    expect(fresh(at(-301_000))).toBe('too old, or not of now');
    expect(fresh(at(61_000))).toBe('too old, or not of now');
    expect(signed({ date: at(-121_000) })).toBe('expired');
    const undated = {
      components: COMPONENTS.filter((name) => name !== 'signature-date'),
      params: `;keyid="${KEY_ID}"`,
    };
    expect(signed(undated)).toBe('no time of its own');
    for (const time of ['created="soon"', 'created=999999999999999', `created=${CREATED};expires="never"`])
      expect(signed({ params: `;keyid="${KEY_ID}";${time}` })).not.toBe('valid');
  });

  it('where it is not signed at all, or in no form that we read', () => {
    const callback = signedCallback({ body: BODY });
    const bare = withHeader(withHeader(callback, 'Signature', undefined), 'Signature-Input', undefined);
    expect(told(bare)).toBe('not signed');
    expect(keyIdOf(bare)).toBeNull();
    expect(told(withHeader(callback, 'Signature', undefined))).toBe('no readable signature under sig-pp');
    expect(told(withHeader(callback, 'Signature', 'sig-pp=:!!!:'))).toBe('no readable signature under sig-pp');
    expect(told(withHeader(callback, 'Signature-Input', 'sig-pp=("@method";req);keyid="a"'))).toBe(
      'no readable signature under sig-pp',
    );
  });

  it('whatever it says, without throwing', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 });
    fc.assert(
      fc.property(text, text, text, (signature, input, digest) => {
        const headers = { signature, 'signature-input': input, 'content-digest': digest };
        const forged = { ...signedCallback({ body: BODY }), headers };
        expect(told(forged)).not.toBe('valid');
        keyIdOf(forged);
      }),
    );
  });

  it('where any one character of its signature or its parameters was altered', () => {
    const callback = signedCallback({ body: BODY, dsaEncoding: 'ieee-p1363' });
    fc.assert(
      fc.property(
        fc.constantFrom('Signature', 'Signature-Input', 'Content-Digest'),
        fc.nat(),
        fc.constantFrom(...'aZ0+;"'),
        (name, at, letter) => {
          const value = String(callback.headers[name]);
          const place = at % value.length;
          const altered = value.slice(0, place) + letter + value.slice(place + 1);
          fc.pre(altered !== value);
          expect(told(withHeader(callback, name, altered))).not.toBe('valid');
        },
      ),
    );
  });
});

describe('structured fields', () => {
  it('are read as they are written', () => {
    expect(readDictionary('a=:AA==:, b=("x" "y");k="1,2"')).toEqual(
      new Map([
        ['a', ':AA==:'],
        ['b', '("x" "y");k="1,2"'],
      ]),
    );
    expect(readSignatureInput('("@method" "a");created=5;keyid="k:1"')).toMatchObject({
      components: ['@method', 'a'],
      params: new Map<string, unknown>([
        ['created', 5],
        ['keyid', 'k:1'],
      ]),
    });
    expect(readBytes(':AAEC:')).toEqual(Buffer.from([0, 1, 2]));
  });

  it.each(['', 'a', 'a=', '=1', 'a=1,', 'a=1, a=2', `a=${'x'.repeat(5_000)}`, 'A=1'])(
    'are no dictionary: %j',
    (text) => {
      expect(readDictionary(text)).toBeNull();
    },
  );

  it.each(['', '(a)', '("a"', '("a" "a")', '("a");k', '("a");k=1;k=2', '("a";sf)', '("a")x', '("a");k="\\""'])(
    'are no signature input: %j',
    (text) => {
      expect(readSignatureInput(text)).toBeNull();
    },
  );

  it.each([undefined, '', '::', 'AAEC', ':AAE:', ':A===:', ':AA EC:', ':AAED=:', ':AB==:'])(
    'are no bytes: %j',
    (text) => {
      expect(readBytes(text)).toBeNull();
    },
  );
});
