import { randomBytes } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { Cipher, isFingerprintOf, keptFingerprint, keyIdOf } from './cipher.js';

const key = (id: string): { id: string; key: Buffer } => ({ id, key: randomBytes(32) });

describe('cipher', () => {
  const first = key('k1');
  const second = key('k2');
  const cipher = new Cipher([first]);

  it.each(['', '0011223344', 'Ünïcødé 💶', 'x'.repeat(10_000)])('opens what it sealed (%#)', (text) => {
    expect(cipher.open(cipher.seal(text, 'destinations.7'), 'destinations.7')).toBe(text);
  });

  it('never seals the same text alike, and shows the key id but not the text', () => {
    const [one, two] = [cipher.seal('0011223344', 'a'), cipher.seal('0011223344', 'a')];
    expect(one).not.toBe(two);
    expect(one).toMatch(/^v1\.k1\.[A-Za-z0-9_-]+$/);
    expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').includes('0011223344')).toBe(false);
  });

  it('tells the key that seals, and the one that a text was sealed with', () => {
    const both = new Cipher([second, first].map((one, place) => ({ ...one, id: ['k2', 'k1'][place]! })));
    expect([cipher.sealingKeyId, both.sealingKeyId]).toEqual(['k1', 'k2']);
    expect([keyIdOf(cipher.seal('x', 'a')), keyIdOf(both.seal('x', 'a'))]).toEqual(['k1', 'k2']);
  });

  it('opens only in the place it was sealed for, unchanged, under the same key', () => {
    const sealed = cipher.seal('0011223344', 'row 1');
    expect(() => cipher.open(sealed, 'row 2')).toThrow();
    const bytes = Buffer.from(sealed.slice(6), 'base64url');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => cipher.open(`v1.k1.${changed.toString('base64url')}`, 'row 1')).toThrow();
    }
    expect(() => new Cipher([{ ...second, id: 'k1' }]).open(sealed, 'row 1')).toThrow();
    const renamed = new Cipher([{ ...first, id: 'k9' }, second]);
    expect(() => renamed.open(sealed.replace('.k1.', '.k9.'), 'row 1')).toThrow();
  });

  it.each(['', 'v1', 'v1.k1.', 'v1.k1.AAAA', 'v2.k1.AAAA', 'v1.unknown.AAAA', 'plain text'])('refuses %p', (text) => {
    expect(() => cipher.open(text, 'a')).toThrow(/^a sealed text/);
  });

  it('goes over to a new key while the old one still opens and indexes', () => {
    const sealed = cipher.seal('0011223344', 'a');
    const rotated = new Cipher([second, first]);
    expect(rotated.open(sealed, 'a')).toBe('0011223344');
    expect(rotated.seal('x', 'a')).toMatch(/^v1\.k2\./);
    expect(rotated.blindIndex('0011223344')).toBe(cipher.blindIndex('0011223344'));
  });

  it('indexes equal texts alike and others apart, not without the key', () => {
    expect(cipher.blindIndex('a')).toBe(cipher.blindIndex('a'));
    expect(cipher.blindIndex('a')).not.toBe(cipher.blindIndex('b'));
    expect(cipher.blindIndex('a')).not.toBe(new Cipher([second]).blindIndex('a'));
    expect(cipher.blindIndex('a')).toHaveLength(43);
  });

  it('keeps its indexes when every key that seals has gone, because they have keys of their own', () => {
    const [before, after] = [new Cipher([first], [key('i1')]), new Cipher([first], [second])];
    expect(new Cipher([second], [first]).blindIndex('a')).toBe(new Cipher([first], [first]).blindIndex('a'));
    expect(before.blindIndex('a')).not.toBe(after.blindIndex('a'));
    const grown = new Cipher([first], [key('i2'), second]);
    expect(grown.blindIndex('a')).toBe(after.blindIndex('a'));
  });

  it('takes fingerprints with the newest index key, and still knows those of older ones', () => {
    const [old, fresh] = [key('i1'), key('i2')];
    const before = new Cipher([first], [old]);
    const both = new Cipher([first], [fresh, old]);
    const kept = keptFingerprint(before.fingerprint('a'));
    expect(kept).toMatch(/^v1\.i1\.[A-Za-z0-9_-]{43}$/);
    expect(keptFingerprint(both.fingerprint('a'))).toMatch(/^v1\.i2\./);
    expect(isFingerprintOf(both.fingerprint('a'), kept)).toBe(true);
    expect(isFingerprintOf(both.fingerprint('b'), kept)).toBe(false);
    expect(isFingerprintOf(new Cipher([first], [fresh]).fingerprint('a'), kept)).toBe(false);
    expect(isFingerprintOf(before.fingerprint('a'), '')).toBe(false);
    expect(kept).not.toContain(before.blindIndex('a'));
  });

  it('refuses keys it cannot use', () => {
    expect(() => new Cipher([first], [])).toThrow('at least one key');
    expect(() => new Cipher([])).toThrow('at least one key');
    expect(() => new Cipher([{ id: 'k1', key: randomBytes(16) }])).toThrow('key k1 must have 32 bytes, it has 16');
    expect(() => new Cipher([{ id: 'K.1', key: randomBytes(32) }])).toThrow('a key id');
    expect(() => new Cipher([first, { ...second, id: 'k1' }])).toThrow('key ids must differ');
  });
});
