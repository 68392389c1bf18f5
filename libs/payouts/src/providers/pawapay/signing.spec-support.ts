import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

import type { ProviderCallback } from '../../payout-provider.js';
import { signatureBase } from './signature.js';

export const HOST = 'callbacks.example.com';
export const PATH = '/callbacks/pawapay/k3y9';
export const KEY_ID = 'HTTP_EC_P256_KEY:1';
export const NOW = new Date('2026-08-01T08:20:00.000Z');

export const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

export const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** The components that pawaPay covers, in its order. */
export const COMPONENTS = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type'];

export interface Signing {
  readonly body?: string | Uint8Array;
  readonly digest?: 'sha256' | 'sha512';
  readonly dsaEncoding?: 'der' | 'ieee-p1363';
  readonly components?: readonly string[];
  /** Behind the list of components; default: as pawaPay writes it. */
  readonly params?: string;
  readonly label?: string;
  readonly host?: string;
  readonly path?: string;
  readonly date?: Date;
  readonly key?: KeyObject;
  readonly hash?: string;
}

/** A callback as pawaPay signs it. */
export function signedCallback(given: Signing = {}): ProviderCallback {
  const { digest = 'sha512', dsaEncoding = 'der', components = COMPONENTS, label = 'sig-pp', date = NOW } = given;
  const body = Buffer.from(given.body ?? '{}');
  const created = Math.floor(date.getTime() / 1_000);
  const params =
    given.params ?? `;alg="ecdsa-p256-sha256";keyid="${KEY_ID}";created=${created};expires=${created + 60}`;
  const raw = `(${components.map((name) => `"${name}"`).join(' ')})${params}`;
  const unsigned: ProviderCallback = {
    method: 'POST',
    host: given.host ?? HOST,
    path: given.path ?? PATH,
    body,
    headers: {
      'Content-Type': 'application/json; charset=UTF-8',
      'Content-Digest': `${digest.replace('sha', 'sha-')}=:${createHash(digest).update(body).digest('base64')}:`,
      'Signature-Date': date.toISOString(),
    },
  };
  const base = signatureBase(unsigned, { components, params: new Map(), raw }) ?? '';
  const signature = sign(given.hash ?? 'sha256', Buffer.from(base), { key: given.key ?? privateKey, dsaEncoding });
  const headers = {
    ...unsigned.headers,
    'Signature-Input': `${label}=${raw}`,
    Signature: `${label}=:${signature.toString('base64')}:`,
  };
  return { ...unsigned, headers };
}

export function withHeader(callback: ProviderCallback, name: string, value: string | undefined): ProviderCallback {
  return { ...callback, headers: { ...callback.headers, [name]: value } };
}
