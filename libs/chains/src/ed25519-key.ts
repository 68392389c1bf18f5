import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';

/** PKCS #8 header for ed25519 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** 32 bytes each; `seed` is the private half (RFC 8032). */
export interface Ed25519Key {
  readonly seed: Buffer;
  readonly publicKey: Buffer;
}

/** Throws unless the seed has 32 bytes. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

/**
 * Not by `generateKeyPair`: in Node 20 the JWK export of such a key can deadlock with the garbage collector.
 */
export function newEd25519Key(): Ed25519Key {
  const seed = randomBytes(32);
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('a key without its public half');
  return { seed, publicKey: Buffer.from(x, 'base64url') };
}
