import { describe, expect, it } from '@jest/globals';

import { coverageDigest } from './coverage-digest.js';
import { type Carrier, type Coverage, fullCoverage } from './coverage.js';

const CARRIER: Carrier = {
  provider: 'pawapay',
  decimals: 2,
  limits: { minMinor: 1n, maxMinor: 2n },
  banks: new Set(['01', '02']),
  accountLength: { min: 5, max: 9 },
};
const of = (...changes: Partial<Carrier>[]): Coverage => [
  { currency: 'KES', kind: 'bank', network: null, carriers: changes.map((change) => ({ ...CARRIER, ...change })) },
];

describe('the digest of a coverage', () => {
  it('is the same for what was read twice, in any order of routes and banks', () => {
    const full = fullCoverage(['sandbox', 'sandbox_b']);
    expect(coverageDigest([...full].reverse())).toBe(coverageDigest(full));
    expect(coverageDigest(of({ banks: new Set(['02', '01']) }))).toBe(coverageDigest(of({})));
  });

  it('follows routes that are replaced in the same array', () => {
    const held = [...of({})];
    const before = coverageDigest(held);
    held.splice(0, held.length, ...of({ decimals: 0 }));
    expect(coverageDigest(held)).toBe(coverageDigest(of({ decimals: 0 })));
    expect(coverageDigest(held)).not.toBe(before);
  });

  it('differs with whatever a route says', () => {
    const all = [
      [],
      of({}),
      of({ provider: 'other' }),
      of({ decimals: 0 }),
      of({ limits: null }),
      of({ limits: { minMinor: 1n, maxMinor: 3n } }),
      of({ banks: null }),
      of({ banks: new Set(['01']) }),
      of({ accountLength: null }),
      of({ accountLength: { min: 5, max: 10 } }),
      of({}, { provider: 'other' }),
      of({ provider: 'other' }, {}),
      of({}).map((route) => ({ ...route, currency: 'NGN' as const })),
    ];
    expect(new Set(all.map(coverageDigest)).size).toBe(all.length);
  });
});
