import { createPrivateKey, createPublicKey, randomBytes, type KeyObject } from 'node:crypto';

/** PKCS #8 around a private key of ed25519 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** 32 bytes each: the private half (a seed, RFC 8032) and the one that everybody may know. */
export interface Ed25519Key {
  readonly seed: Buffer;
  readonly publicKey: Buffer;
}

/** Of a seed of 32 bytes. Throws on any other length. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
}

/**
 * A new key. Not by `generateKeyPair`: of a key made by that an export as JWK can stand still for ever in Node 20, for it holds the key's lock
 * while it makes strings, and the garbage collector, where they bring it on, waits for the same lock to end the job that made a key.
 */
export function newEd25519Key(): Ed25519Key {
  const seed = randomBytes(32);
  const { x } = createPublicKey(privateKeyOf(seed)).export({ format: 'jwk' });
  if (x === undefined) throw new Error('a key without its public half');
  return { seed, publicKey: Buffer.from(x, 'base64url') };
}
