import { describe, expect, it } from '@jest/globals';

import { Cipher } from './cipher.js';
import { openQuery, sealedPartOf, sealQuery, WebhookCipher } from './sealed-url.js';

const cipher = new Cipher([{ id: 'k1', key: Buffer.alloc(32, 7) }]);

describe('a stored URL', () => {
  it.each([
    'https://a.example/hook?token=s3cret&name=Jane',
    'https://a.example?x',
    'https://a.example/hook?',
    'https://a.example/hook#part?x',
    'https://a.example/hook?~v1.k1.AAAA',
    'https://a.example/%3F?a=?&b=#c',
  ])('shows host and path, and comes back byte for byte: %s', (url) => {
    const stored = sealQuery(cipher, url, 'row 1');
    expect(stored).toMatch(/^https:\/\/a\.example[^?#]*\?~v1\.k1\.[A-Za-z0-9_-]+$/);
    expect(stored).not.toMatch(/s3cret|Jane/);
    expect(openQuery(cipher, stored, 'row 1')).toBe(url);
    expect(new URL(stored).host).toBe(new URL(url).host);
    expect(() => openQuery(cipher, stored, 'row 2')).toThrow();
  });

  it('without a query is as it was given', () => {
    const url = 'https://a.example:8443/hook/~v1.k1';
    expect([sealQuery(cipher, url, 'a'), openQuery(cipher, url, 'a'), sealedPartOf(url)]).toEqual([url, url, null]);
  });
});

describe('what is told by webhook', () => {
  const told = new WebhookCipher([{ id: 'w1', key: Buffer.alloc(32, 5) }]);

  it('opens for its own partner and transaction alone', () => {
    const url = 'https://a.example/hook?token=s3cret';
    const [stored, name] = [told.sealUrl(7, url), told.sealName(42, 'JANE DOE')];
    expect([told.openUrl(7, stored), told.openName(42, name)]).toEqual([url, 'JANE DOE']);
    expect(`${stored} ${name}`).not.toMatch(/s3cret|JANE/);
    expect(() => told.openUrl(8, stored)).toThrow();
    expect(() => told.openName(43, name)).toThrow();
  });
});
