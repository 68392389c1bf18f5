import type { Chain, ChainFamily } from './chain.js';

/** `rule` completes "transaction_hash must be …". */
export const TRANSACTION_HASHES: Readonly<Record<ChainFamily, { readonly pattern: RegExp; readonly rule: string }>> = {
  evm: { pattern: /^(0[xX])?[0-9a-fA-F]{64}$/, rule: '64 hexadecimal digits, with or without 0x' },
  stellar: { pattern: /^[0-9a-fA-F]{64}$/, rule: '64 hexadecimal digits' },
  solana: { pattern: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/, rule: 'a signature of 64 bytes in base58' },
};

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const MAX_KEY_LENGTH = 44;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Byte length; null: not base58. */
function base58Bytes(text: string): number | null {
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const digits = value === 0n ? 0 : value.toString(16).length;
  return zeros + ((digits + 1) >> 1);
}

/** Only the form, bounded before any computation. */
export function isSolanaAddress(text: string): boolean {
  return text.length <= MAX_KEY_LENGTH && base58Bytes(text) === KEY_BYTES;
}

/**
 * For keys, locks and logs: nodes find a transaction by several spellings (chains.md section 3.1).
 * null: no transaction id. Bounded before any computation, because a request sent it.
 */
export function readTransactionId(family: ChainFamily, text: string): string | null {
  if (!TRANSACTION_HASHES[family].pattern.test(text)) return null;
  switch (family) {
    case 'evm':
      return `0x${text.slice(-64).toLowerCase()}`;
    case 'stellar':
      return text.toLowerCase();
    case 'solana':
      // Unpadded base58 is unique, so this is canonical.
      return base58Bytes(text) === SIGNATURE_BYTES ? text : null;
  }
}

/** Throws on an invalid text. */
export function canonicalTransactionId(chain: Pick<Chain, 'family'>, text: string): string {
  const id = readTransactionId(chain.family, text);
  if (id === null) throw new RangeError('canonicalTransactionId: no transaction of this chain');
  return id;
}
