import { describe, expect, it } from '@jest/globals';

import type { Caller } from '../keys/authenticate-caller.js';
import { NEEDS, refusalOf } from './checks.spec-support.js';
import type { Operation } from '../operations/operation.js';
import { OPERATIONS } from '../public-operations.js';

const SUSPENDED: Caller = {
  partnerId: 1,
  visiblePrefix: 'vk_test_consumer_p1',
  kind: 'consumer',
  scopes: null,
  addresses: null,
  webhookUrl: null,
  suspended: true,
  terms: null,
};
const keyed = Object.entries<Operation>(OPERATIONS).filter(([, { key }]) => key !== null);

describe('a suspended partner', () => {
  it.each(keyed)('and %s', (name, operation) => {
    const caller: Caller = { ...SUSPENDED, kind: operation.key === 'checkout' ? 'checkout' : 'consumer' };
    const refusal = refusalOf(caller, operation, undefined);
    expect([name, refusal === null ? 'told' : 'refused']).toEqual([name, NEEDS[name]?.[1]]);
    if (refusal !== null)
      expect(refusal).toMatchObject({ code: 'forbidden', message: expect.stringContaining('suspended') });
    expect(refusalOf({ ...caller, suspended: false }, operation, undefined)).toBeNull();
  });

  it('is first told what its key lacks', () => {
    expect(refusalOf({ ...SUSPENDED, scopes: ['read'] }, OPERATIONS.pay, undefined)?.message).toContain(
      'scope payouts',
    );
  });
});
