import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** PKCS #8 header for Ed25519 (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Ed25519 (RFC 8032). `id` names it while keys are rotated. */
export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Its public half. */
export interface VerifyingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Throws unless the seed has 32 bytes. */
export function signingKeyOf(id: string, seed: Uint8Array): SigningKey {
  return { id, key: createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' }) };
}

/** `x`: base64url of the 32 public bytes. Throws unless it is one. */
export function verifyingKeyOf(id: string, x: string): VerifyingKey {
  return { id, key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) };
}

/** Base64url of the 32 public bytes. */
export function publicHalfOf({ key }: SigningKey): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new Error('a key without its public half');
  return x;
}
