import { describe, expect, it } from '@jest/globals';

import { keyRestrictionsOf, MOST_RANGES, type KeyRestrictions } from './key-restrictions.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const UNLIMITED: KeyRestrictions = { label: null, scopes: null, addresses: null, expiresAt: null };
const termsOf = (given: Partial<KeyRestrictions>, kind: 'consumer' | 'checkout' = 'consumer') =>
  keyRestrictionsOf(kind, { ...UNLIMITED, ...given }, NOW);

describe('the terms of a key', () => {
  it('are kept in one spelling and order, each once', () => {
    const given = {
      scopes: ['read', 'payouts', 'read'],
      addresses: ['192.0.2.7', ' ::ffff:192.0.2.7', '2001:DB8::/32'],
      expiresAt: new Date('2026-01-01T00:00:00.001Z'),
      label: 'shop',
    };
    expect(termsOf(given)).toEqual({
      ok: true,
      value: { ...given, scopes: ['payouts', 'read'], addresses: ['192.0.2.7/32', '2001:db8::/32'] },
    });
    expect(termsOf({})).toEqual({ ok: true, value: UNLIMITED });
    expect(termsOf({ scopes: ['orders'] }, 'checkout')).toMatchObject({ ok: true });
  });

  it.each<[Partial<KeyRestrictions>, RegExp]>([
    [
      { scopes: ['admin'] },
      /^"admin" is no scope of a consumer key, which has payouts, refunds, lookups, read, webhooks$/,
    ],
    [{ scopes: ['read', 'orders'] }, /^"orders" is no scope of a consumer key/],
    [{ scopes: ['Read'] }, /^"Read" is no scope/],
    [{ scopes: [] }, /^scopes must name at least one/],
    [{ addresses: ['192.0.2.7', '192.0.2.7/24'] }, /^"192.0.2.7\/24" is no address or range/],
    [{ addresses: ['partner.example.com'] }, /is no address/],
    [{ addresses: [''] }, /is no address/],
    [{ addresses: [] }, /^addresses must be 1 to 100 ranges/],
    [
      { addresses: Array.from({ length: MOST_RANGES + 1 }, (_, n) => `10.0.${String(n)}.0/24`) },
      /^addresses must be 1 to 100 ranges/,
    ],
    [{ expiresAt: NOW }, /^expiry must be in the future: 2026-01-01T00:00:00.000Z has passed$/],
  ])('%j is refused', (given, message) => {
    expect(termsOf(given)).toEqual({
      ok: false,
      error: { code: 'invalid_request', message: expect.stringMatching(message) },
    });
  });

  it('are those of its kind', () => {
    const message = '"payouts" is no scope of a checkout key, which has orders, read';
    expect(termsOf({ scopes: ['read', 'payouts'] }, 'checkout')).toEqual({
      ok: false,
      error: { code: 'invalid_request', message },
    });
  });
});
