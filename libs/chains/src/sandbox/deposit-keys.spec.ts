import { describe, expect, it } from '@jest/globals';

import { assertXpub, deriveEvmAddress } from '../address/evm-address.js';
import { accountXpub, newMnemonic } from './deposit-keys.js';

describe('the deposit keys of a sandbox', () => {
  it('are new each time, and give an account that addresses can be derived of', () => {
    const [one, other] = [newMnemonic(), newMnemonic()];
    expect(one.split(' ')).toHaveLength(12);
    expect(one).not.toBe(other);
    expect(() => assertXpub(accountXpub(one))).not.toThrow();
    expect(deriveEvmAddress(accountXpub(one), 0)).not.toBe(deriveEvmAddress(accountXpub(other), 0));
  });

  it('are those that every wallet finds from the same words', () => {
    const known = 'test test test test test test test test test test test junk';
    expect(deriveEvmAddress(accountXpub(known), 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(() => accountXpub('no words')).toThrow();
  });
});
