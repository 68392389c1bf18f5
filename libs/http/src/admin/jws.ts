import { hash, sign, verify } from 'node:crypto';

import type { SigningKey, VerifyingKey } from '@vuka/runtime';
import { z } from 'zod';

const LONGEST = 8_000;
const COMPACT = /^([\w-]+)\.([\w-]+)\.([\w-]{86})$/;

const header = z.strictObject({ alg: z.literal('EdDSA'), typ: z.literal('JWT'), kid: z.string().max(32) });

/** Compact, by Ed25519 (RFC 7515, RFC 8037). */
export function signJws(signing: SigningKey, claims: object): string {
  const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid: signing.id })}.${encoded(claims)}`;
  return `${signed}.${sign(null, Buffer.from(signed), signing.key).toString('base64url')}`;
}

/** The claims, not judged, and which key has signed them. undefined: none of these has. */
export function verifiedJws(
  token: string,
  keys: readonly VerifyingKey[],
): { readonly claims: unknown; readonly keyId: string } | undefined {
  const [, head = '', body = '', signature = ''] = (token.length <= LONGEST && COMPACT.exec(token)) || [];
  const key = keys.find(({ id }) => id === header.safeParse(decoded(head)).data?.kid);
  if (key === undefined) return undefined;
  const isSigned = verify(null, Buffer.from(`${head}.${body}`), key.key, Buffer.from(signature, 'base64url'));
  return isSigned ? { claims: decoded(body), keyId: key.id } : undefined;
}

/** Of tagged JSON, which keeps its order on its way. */
export function digestOf(args: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(args), 'base64url');
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
