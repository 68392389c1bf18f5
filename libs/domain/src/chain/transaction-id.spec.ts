import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { canonicalTransactionId, isSolanaAddress, readTransactionId } from './transaction-id.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Uint8Array): string {
  let value = bytes.reduce((total, byte) => total * 256n + BigInt(byte), 0n);
  let text = '';
  for (; value > 0n; value /= 58n) text = (ALPHABET[Number(value % 58n)] ?? '') + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros === -1 ? bytes.length : zeros) + text;
}

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.uint8Array({ minLength: length, maxLength: length }), fc.nat(length))
    .map(([all, zeros]) => all.fill(0, 0, zeros));

describe('canonicalTransactionId', () => {
  it('is one for each spelling of an EVM hash', () => {
    const digits = fc.tuple(
      fc.stringMatching(/^[0-9a-f]{64}$/),
      fc.array(fc.boolean(), { minLength: 64, maxLength: 64 }),
      fc.constantFrom('', '0x', '0X'),
    );
    fc.assert(
      fc.property(digits, ([hash, upper, lead]) => {
        const spelt = lead + [...hash].map((digit, at) => (upper[at] ? digit.toUpperCase() : digit)).join('');
        expect(canonicalTransactionId({ family: 'evm' }, spelt)).toBe(`0x${hash}`);
      }),
    );
  });

  it('keeps a Solana signature of 64 bytes, and takes no other length', () => {
    fc.assert(
      fc.property(bytes(64), (signature) =>
        expect(canonicalTransactionId({ family: 'solana' }, base58(signature))).toBe(base58(signature)),
      ),
    );
    fc.assert(
      fc.property(
        fc
          .integer({ min: 0, max: 80 })
          .filter((length) => length !== 64)
          .chain(bytes),
        (other) => expect(readTransactionId('solana', base58(other))).toBeNull(),
      ),
    );
    // A leading 1 is a byte: one more makes the value longer.
    expect(readTransactionId('solana', `1${base58(new Uint8Array(64).fill(9))}`)).toBeNull();
  });

  it('is lower case on Stellar, where 0x is no part of it', () => {
    expect(canonicalTransactionId({ family: 'stellar' }, 'AB'.repeat(32))).toBe('ab'.repeat(32));
    expect(readTransactionId('stellar', `0x${'ab'.repeat(32)}`)).toBeNull();
  });

  it('is itself canonical', () => {
    for (const [family, id] of [
      ['evm', `0x${'0a'.repeat(32)}`],
      ['stellar', '0a'.repeat(32)],
      ['solana', '5'.repeat(88)],
    ] as const) {
      expect(canonicalTransactionId({ family }, id)).toBe(id);
    }
  });

  it.each([
    '',
    '0x',
    'x'.repeat(1_000_000),
    `0x${'0'.repeat(63)}`,
    `0x${'0'.repeat(65)}`,
    `0x0x${'0'.repeat(62)}`,
    `${'0'.repeat(64)}\n`,
    '１'.repeat(64),
  ])('refuses %#', (text) => {
    for (const family of ['evm', 'stellar', 'solana'] as const) {
      expect(readTransactionId(family, text)).toBeNull();
      expect(() => canonicalTransactionId({ family }, text)).toThrow(RangeError);
    }
  });
});

describe('isSolanaAddress', () => {
  it('is 32 bytes in base58', () => {
    fc.assert(fc.property(bytes(32), (key) => expect(isSolanaAddress(base58(key))).toBe(true)));
    fc.assert(
      fc.property(
        fc
          .integer({ min: 0, max: 64 })
          .filter((length) => length !== 32)
          .chain(bytes),
        (other) => expect(isSolanaAddress(base58(other))).toBe(false),
      ),
    );
    expect(isSolanaAddress('1'.repeat(1_000_000))).toBe(false);
  });
});
