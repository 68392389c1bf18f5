import { describe, expect, it } from '@jest/globals';
import { HDNodeWallet, Mnemonic } from 'ethers';
import fc from 'fast-check';

import { assertXpub, checksumAddress, deriveEvmAddress, XpubError } from './evm-address.js';

/** Public test phrase. */
const mnemonic = Mnemonic.fromPhrase('test test test test test test test test test test test junk');
const account = HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/0'");
const xpub = account.neuter().extendedKey;

function errorOf(text: string): XpubError {
  try {
    assertXpub(text);
  } catch (error) {
    if (error instanceof XpubError) return error;
  }
  throw new Error('no XpubError');
}

describe('addresses from an extended public key', () => {
  it('are those that the seed gives, where every wallet looks for them', () => {
    expect(deriveEvmAddress(xpub, 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(deriveEvmAddress(xpub, 1)).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8');
    for (const index of [2, 255, 65_536, 0x7fff_ffff]) {
      expect(deriveEvmAddress(xpub, index)).toBe(
        HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${String(index)}`).address,
      );
    }
  });

  it('differ between accounts', () => {
    const other = HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/1'").neuter().extendedKey;
    expect(deriveEvmAddress(other, 0)).not.toBe(deriveEvmAddress(xpub, 0));
  });

  it.each([-1, 0.5, NaN, 0x8000_0000, Infinity])('have no index %s: hardened ones need the private key', (index) => {
    expect(() => deriveEvmAddress(xpub, index)).toThrow(RangeError);
  });

  it('are never made of a private key, which no error shows', () => {
    const error = errorOf(account.extendedKey);
    expect(error.message).toContain('a private one');
    expect(JSON.stringify([error.message, error.stack, Object.entries(error)])).not.toContain(
      account.extendedKey.slice(4, 20),
    );
    expect(() => deriveEvmAddress(account.extendedKey, 0)).toThrow(XpubError);
  });

  it.each([
    ['an empty text', ''],
    ['a mistyped key', `${xpub.slice(0, -1)}${xpub.endsWith('p') ? 'q' : 'p'}`],
    ['a key with two letters swapped', `${xpub.slice(0, 60)}${xpub[61] ?? ''}${xpub[60] ?? ''}${xpub.slice(62)}`],
    ['a shortened key', xpub.slice(0, -4)],
    ['spaces around it', ` ${xpub} `],
    ['the phrase', mnemonic.phrase],
    ['a bare private key', account.privateKey],
    ['the root', HDNodeWallet.fromMnemonic(mnemonic, 'm').neuter().extendedKey],
    ['a level below the account', account.deriveChild(0).neuter().extendedKey],
    ['a level above the account', HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'").neuter().extendedKey],
    ['an account that is not hardened', HDNodeWallet.fromMnemonic(mnemonic, "m/44'/60'/0").neuter().extendedKey],
  ])('are not made of %s, which no error shows', (_what, text) => {
    const error = errorOf(text);
    expect(error.message).toMatch(/^must be (an|the) extended public key/);
    if (text.length > 8) expect(`${error.message}${error.stack ?? ''}`).not.toContain(text.trim().slice(4, 24));
  });
});

describe('the spelling of an address', () => {
  it('is that of EIP-55, from any that is not wrong', () => {
    const address = '0xcebA9300f2b948710d2653dD7B07f33A8B32118C';
    for (const text of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`])
      expect(checksumAddress(text)).toEqual({ ok: true, value: address });
  });

  it.each(['0xCebA9300f2b948710d2653dD7B07f33A8B32118C', '0xcebA9300f2b948710d2653dD7B07f33A8B32118c'])(
    'refuses %s, mistyped',
    (text) => {
      expect(checksumAddress(text)).toMatchObject({ ok: false, error: expect.stringContaining('EIP-55') });
    },
  );

  it.each([
    '',
    '0x',
    'cebA9300f2b948710d2653dD7B07f33A8B32118C',
    '0xcebA9300f2b948710d2653dD7B07f33A8B32118C0',
    'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36',
    ' 0xceba9300f2b948710d2653dd7b07f33a8b32118c',
    'vitalik.eth',
  ])('refuses %s, which is none', (text) => {
    expect(checksumAddress(text).ok).toBe(false);
  });

  it('answers for every text', () => {
    fc.assert(fc.property(fc.string(), (text) => !checksumAddress(text).ok));
  });
});
