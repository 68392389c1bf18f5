import { fail, isSolanaAddress, ok, type ChainFamily, type Result } from '@vuka/domain';

import { readStellarAddress } from './stellar-address.js';

/**
 * EVM in EIP-55, Solana base58, Stellar G… or M… with a valid checksum. The error names the broken rule and
 * never repeats the text.
 */
export async function canonicalAddress(family: ChainFamily, text: string): Promise<Result<string, string>> {
  switch (family) {
    case 'evm': {
      const { checksumAddress } = await import('./evm-address.js');
      return checksumAddress(text);
    }
    case 'solana':
      return isSolanaAddress(text) ? ok(text) : fail('must be a Solana address, 32 bytes in base58');
    case 'stellar': {
      const read = readStellarAddress(text);
      return read.ok ? ok(text) : read;
    }
  }
}

/** By form only, without the checksum; null: no family. */
export function addressFamily(text: string): ChainFamily | null {
  if (/^0x/i.test(text)) return 'evm';
  if (readStellarAddress(text).ok) return 'stellar';
  return isSolanaAddress(text) ? 'solana' : null;
}
