import { describe, expect, it } from '@jest/globals';
import { isSolanaAddress } from '@vuka/domain';
import { Keypair } from '@stellar/stellar-sdk';

import { assertXpub, deriveEvmAddress } from '../address/evm-address.js';
import { readStellarAddress } from '../address/stellar-address.js';

import { accountXpub, newMnemonic, newSolanaKey, newStellarKey } from './deposit-keys.js';

describe('the keys of a sandbox', () => {
  it('are words that nobody else has, and an account key of theirs', () => {
    const [one, other] = [newMnemonic(), newMnemonic()];
    expect(one.split(' ')).toHaveLength(12);
    expect(one).not.toBe(other);
    expect(() => assertXpub(accountXpub(one))).not.toThrow();
    expect(deriveEvmAddress(accountXpub(one), 0)).not.toBe(deriveEvmAddress(accountXpub(other), 0));
  });

  it('give the addresses every wallet shows for the words', () => {
    const known = 'test test test test test test test test test test test junk';
    expect(deriveEvmAddress(accountXpub(known), 0)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266');
    expect(() => accountXpub('no words')).toThrow();
  });

  it('are keys of Solana and Stellar that sign for their addresses', () => {
    const { secret, address } = newStellarKey();
    expect(Keypair.fromRawEd25519Seed(Buffer.from(secret, 'base64url')).publicKey()).toBe(address);
    expect(readStellarAddress(address).ok).toBe(true);
    const solana = newSolanaKey();
    expect(isSolanaAddress(solana.address)).toBe(true);
    expect(newSolanaKey().address).not.toBe(solana.address);
  });
});
