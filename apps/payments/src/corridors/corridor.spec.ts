import { describe, expect, it } from '@jest/globals';

import { type CorridorScope, covers, scopeName } from './corridor.js';

const MTN = { provider: 'a', currency: 'GHS', kind: 'mobile', network: 'MTN' };
const BANK = { provider: 'a', currency: 'GHS', kind: 'bank', network: null };
const scope = (more: Partial<CorridorScope>): CorridorScope => ({ provider: 'a', currency: null, kind: null, network: null, ...more }); // prettier-ignore

describe('a scope', () => {
  it.each<[Partial<CorridorScope>, string, boolean, boolean]>([
    [{}, 'a', true, true],
    [{ provider: 'b' }, 'b', false, false],
    [{ currency: 'GHS' }, 'a GHS', true, true],
    [{ currency: 'KES' }, 'a KES', false, false],
    [{ currency: 'GHS', kind: 'mobile' }, 'a GHS mobile', true, false],
    [{ currency: 'GHS', kind: 'mobile', network: 'MTN' }, 'a GHS mobile MTN', true, false],
    [{ currency: 'GHS', kind: 'mobile', network: 'Telecel' }, 'a GHS mobile Telecel', false, false],
  ])('%j is %s', (more, name, coversMtn, coversBank) => {
    expect([scopeName(scope(more)), covers(scope(more), MTN), covers(scope(more), BANK)]).toEqual([
      name,
      coversMtn,
      coversBank,
    ]);
  });
});
