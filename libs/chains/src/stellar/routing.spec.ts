import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { muxedAddress } from '../address/stellar-address.js';

import type { MuxedId } from './movements.js';
import { readAddress, routeOf } from './routing.js';
import type { Memo } from './transaction.js';

const ACCOUNT = 'GCATS5YOVB6ROX2WUNKGNQ2MP3GMXDMKSG2O4N5CLX3A6W4PZGZZI55U';
const id = (number: bigint): Memo => ({ kind: 'id', id: number });

describe('whose a payment to the account is', () => {
  it.each<[string, MuxedId, Memo, bigint | undefined]>([
    ["the muxed id's", 420n, { kind: 'none' }, 420n],
    ["the memo's", undefined, id(420n), 420n],
    ["both's, where they are one", 420n, id(420n), 420n],
    ["nobody's, where they are two", 420n, id(421n), undefined],
    ["nobody's, where the memo is no id", 420n, { kind: 'other' }, undefined],
    ["nobody's without either", undefined, { kind: 'none' }, undefined],
    ["nobody's, where what stands for the muxed id is none", 'other', id(420n), undefined],
    ["nobody's by a text", undefined, { kind: 'other' }, undefined],
    ["zero's", undefined, id(0n), 0n],
  ])('%s', (_, muxedId, memo, whose) => {
    expect(routeOf(muxedId, memo)).toBe(whose);
  });

  it('is that of the address that was given, for each number', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        (one, other) => {
          const { account, id: number } = readAddress(muxedAddress(ACCOUNT, one));
          expect(account).toBe(ACCOUNT);
          expect(routeOf(undefined, id(one))).toBe(number);
          expect(routeOf(other, { kind: 'none' }) === number).toBe(one === other);
        },
      ),
    );
    expect(readAddress(ACCOUNT)).toEqual({ account: ACCOUNT, id: undefined });
  });
});
