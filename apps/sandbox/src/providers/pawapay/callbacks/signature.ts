import { createHash, sign } from 'node:crypto';

import type { SigningKey } from './key-ring.js';

export interface SigningOptions {
  readonly url: URL;
  readonly body: string;
  readonly atMs: number;
  readonly key: SigningKey;
  readonly encoding: 'der' | 'raw';
  readonly digest: 'sha-256' | 'sha-512';
  /** How long it is good for; pawaPay's samples have a minute [I]. */
  readonly validSeconds: number;
}

export const CONTENT_TYPE = 'application/json; charset=UTF-8';
const COMPONENTS = ['@method', '@authority', '@path', 'signature-date', 'content-digest', 'content-type'];

/** Headers of a signed callback: RFC 9421 under the label `sig-pp`, with pawaPay's own Signature-Date [D]. */
export function signedHeaders(options: SigningOptions): Record<string, string> {
  const { url, body, atMs, key, validSeconds } = options;
  const signatureDate = new Date(atMs).toISOString();
  const contentDigest = digestOf(body, options.digest);
  const created = Math.floor(atMs / 1_000);
  const covered = COMPONENTS.map((name) => `"${name}"`).join(' ');
  const params =
    `(${covered});alg="ecdsa-p256-sha256";keyid="${key.id}"` + `;created=${created};expires=${created + validSeconds}`;
  const base = [
    '"@method": POST',
    `"@authority": ${url.host.toLowerCase()}`,
    `"@path": ${url.pathname}`,
    `"signature-date": ${signatureDate}`,
    `"content-digest": ${contentDigest}`,
    `"content-type": ${CONTENT_TYPE}`,
    `"@signature-params": ${params}`,
  ].join('\n');
  const dsaEncoding = options.encoding === 'der' ? 'der' : 'ieee-p1363';
  const signature = sign('sha256', Buffer.from(base, 'utf8'), { key: key.key, dsaEncoding });
  return {
    'content-digest': contentDigest,
    'signature-date': signatureDate,
    'signature-input': `sig-pp=${params}`,
    signature: `sig-pp=:${signature.toString('base64')}:`,
  };
}

export function digestOf(body: string, algorithm: 'sha-256' | 'sha-512'): string {
  const hash = createHash(algorithm.replace('-', '')).update(body, 'utf8').digest('base64');
  return `${algorithm}=:${hash}:`;
}
