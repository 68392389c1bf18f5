import { describe, expect, it } from '@jest/globals';
import { AddressRanges } from '@vuka/config';

import type { Caller } from '../keys/authenticate-caller.js';
import { SCOPES, type KeyKind, type Operation } from '../operations/operation.js';
import { OPERATIONS } from '../public-operations.js';
import { NEEDS, refusalOf } from './checks.spec-support.js';

const callerWith = (caller: Partial<Caller>): Caller => ({
  partnerId: 1, visiblePrefix: 'vk_test_consumer_p1', kind: 'consumer', scopes: null, addresses: null, webhookUrl: null, suspended: false, terms: null, ...caller,
}); // prettier-ignore
const KINDS: readonly KeyKind[] = ['consumer', 'checkout'];
const keyed = Object.entries<Operation>(OPERATIONS).filter(([, { key }]) => key !== null);

describe('what a key may do', () => {
  it.each(keyed)(
    '%s accepts a key of its kind without a list of scopes, and a key with the one scope that it needs',
    (name, operation) => {
      for (const kind of KINDS) {
        const isKind = operation.key === 'either' || operation.key === kind;
        expect(refusalOf(callerWith({ kind }), operation, undefined) === null).toBe(isKind);
        const letIn = SCOPES[kind].filter(
          (scope) => refusalOf(callerWith({ kind, scopes: [scope] }), operation, undefined) === null,
        );
        expect(letIn).toEqual(isKind ? [NEEDS[name]?.[0]] : []);
      }
    },
  );

  it('is nothing if its list has no matching scope', () => {
    for (const [, operation] of keyed) {
      for (const scopes of [[], ['of-a-later-build']])
        expect(
          refusalOf(
            callerWith({ kind: operation.key === 'checkout' ? 'checkout' : 'consumer', scopes }),
            operation,
            undefined,
          )?.code,
        ).toBe('forbidden');
    }
  });

  it('is refused by the first rule that fails: the kind, then the scope by its name, then the address without the list', () => {
    const addresses = AddressRanges.of(['192.0.2.0/24']);
    const wrong = callerWith({ kind: 'checkout', scopes: ['read'], addresses });
    expect(refusalOf(wrong, OPERATIONS.disburse, '198.51.100.1')?.message).toBe(
      'This operation takes a consumer key, not a checkout key',
    );
    expect(refusalOf({ ...wrong, kind: 'consumer' }, OPERATIONS.disburse, '198.51.100.1')?.message).toBe(
      'This operation needs the scope payouts, which this key does not have',
    );
    expect(refusalOf({ ...wrong, kind: 'consumer' }, OPERATIONS.status, '198.51.100.1')).toEqual({
      code: 'forbidden',
      message: 'This key may not be used from the address that this request came from',
    });
  });

  it('is bound to its addresses in any spelling of the socket, and refused if the socket has no address', () => {
    const caller = callerWith({ addresses: AddressRanges.of(['192.0.2.0/24', '2001:db8::/32']) });
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '2001:db8::7'])
      expect(refusalOf(caller, OPERATIONS.status, address)).toBeNull();
    for (const address of ['192.0.3.1', '::ffff:192.0.3.1', '2001:db9::7', undefined])
      expect(refusalOf(caller, OPERATIONS.status, address)?.code).toBe('forbidden');
  });
});
