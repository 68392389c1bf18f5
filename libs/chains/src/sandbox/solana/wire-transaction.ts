import { VersionedTransaction, type VersionedMessage } from '@solana/web3.js';

import { encodeBase58 } from '../../solana/base58.js';

export interface WireTransaction {
  readonly raw: Uint8Array;
  readonly version: 'legacy' | 0 | 1;
  readonly message: VersionedMessage;
  readonly messageBytes: Uint8Array;
  readonly signatureBytes: readonly Uint8Array[];
  /** The first one is the id. */
  readonly signatures: readonly [string, ...string[]];
}

/** From lookup tables. */
export interface LoadedAddresses {
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
}

const SIGNATURE_BYTES = 64;
/** Version 1: first byte; signatures follow the message. */
const VERSION_1 = 0x81;

/** Throws on invalid bytes. */
export function takeApart(raw: Uint8Array): WireTransaction {
  const { message, signatures } = VersionedTransaction.deserialize(raw);
  const [first, ...others] = signatures.map(encodeBase58);
  if (first === undefined) throw new Error('a transaction without a signature');
  const length = signatures.length * SIGNATURE_BYTES;
  // The signature count is one byte, up to 127.
  const messageBytes = raw[0] === VERSION_1 ? raw.subarray(0, raw.length - length) : raw.subarray(1 + length);
  return {
    raw,
    version: message.version,
    message,
    messageBytes,
    signatureBytes: signatures,
    signatures: [first, ...others],
  };
}

export function staticKeys({ message }: WireTransaction): string[] {
  return message.staticAccountKeys.map((key) => key.toBase58());
}

/** In index order. */
export function allKeys(transaction: WireTransaction, { writable, readonly }: LoadedAddresses): string[] {
  return [...staticKeys(transaction), ...writable, ...readonly];
}
