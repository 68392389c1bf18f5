import { fail, isSolanaAddress, ok, type ChainFamily, type Result } from '@vuka/domain';

import { readStellarAddress } from './stellar-address.js';

/**
 * An address as its chain spells it: EVM in EIP-55, Solana's 32 bytes in base58, Stellar's G… or M…, whose checksum holds. The error is the
 * rule that the text breaks; it never repeats the text. For EVM it loads the library that knows Keccak.
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

/** Whose form a text has; null: of none. Says nothing of its checksum. */
export function addressFamily(text: string): ChainFamily | null {
  if (/^0x/i.test(text)) return 'evm';
  if (readStellarAddress(text).ok) return 'stellar';
  return isSolanaAddress(text) ? 'solana' : null;
}
