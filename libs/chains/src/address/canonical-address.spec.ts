import { describe, expect, it } from '@jest/globals';

import { addressFamily, canonicalAddress } from './canonical-address.js';
import { muxedAddress } from './stellar-address.js';

const EVM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const STELLAR = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';

describe('an address, as its chain spells it', () => {
  it.each([
    ['evm', EVM, EVM],
    ['evm', EVM.toLowerCase(), EVM],
    ['solana', SOLANA, SOLANA],
    ['stellar', STELLAR, STELLAR],
    ['stellar', muxedAddress(STELLAR, 7n), muxedAddress(STELLAR, 7n)],
  ] as const)('%s: %s', async (family, text, canonical) => {
    expect(await canonicalAddress(family, text)).toEqual({ ok: true, value: canonical });
    expect(addressFamily(text)).toBe(family);
  });

  it.each([
    ['evm', EVM.replace('f39F', 'F39f')],
    ['evm', EVM.slice(0, -1)],
    ['evm', SOLANA],
    ['evm', STELLAR],
    ['solana', SOLANA.slice(0, -3)],
    ['solana', `1${SOLANA}`],
    ['solana', EVM],
    ['solana', STELLAR],
    ['solana', '11111111111111111111111111111111O'],
    ['stellar', STELLAR.toLowerCase()],
    ['stellar', STELLAR.replace('GA5Z', 'GA5A')],
    ['stellar', SOLANA],
    ['stellar', EVM],
  ] as const)('%s refuses %s', async (family, text) => {
    expect(await canonicalAddress(family, text)).toEqual({ ok: false, error: expect.stringMatching(/^must be /) });
  });

  it('is of no family where it has the form of none', () => {
    for (const text of ['', 'me', `${SOLANA}${SOLANA}`]) expect(addressFamily(text)).toBeNull();
  });
});
