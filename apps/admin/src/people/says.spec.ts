import { describe, expect, it } from '@jest/globals';

import { says } from './says.js';

/** Tagged JSON. */
const said = (operation: string, act: object): string => says(operation, [act]);

describe('what an approval says', () => {
  it('names what a rotated key may do more than the one before it', () => {
    const key = 'vk_live_consumer_1';
    expect(said('gateway.rotateKey', { key })).not.toMatch(/may do|from|until/);
    expect(said('gateway.rotateKey', { key, scopes: null, addresses: null, expiresAt: null })).toContain(
      'may do: all of its kind; from: anywhere; until: it is revoked',
    );
    expect(said('gateway.rotateKey', { key, scopes: ['balance'], addresses: ['192.0.2.7'] })).toContain(
      'may do: balance; from: 192.0.2.7',
    );
    const until = { $date: '2027-01-01T00:00:00.000Z' };
    expect(said('gateway.issueKey', { partnerId: 7, kind: 'consumer', expiresAt: until })).toContain(
      'may do: all of its kind; from: anywhere; until: 2027-01-01T00:00:00.000Z',
    );
  });

  it('says first that it is too long to be shown whole', () => {
    expect(said('gateway.setTerms', { partnerId: 7, terms: { rows: 'x'.repeat(3_000) } })).toMatch(/^NOT ALL/);
    expect(said('gateway.setTerms', { partnerId: 7, terms: null })).not.toMatch(/NOT ALL/);
  });
});
