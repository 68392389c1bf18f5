import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto';

import type { ProviderCallback } from '../../payout-provider.js';
import { readBytes, readDictionary, readSignatureInput, type SignatureInput } from './structured-fields.js';

/**
 * Signatures of pawaPay's callbacks (RFC 9421, [D] docs.pawapay.io/v2/docs/signatures). Pure: keys and time are given.
 *
 * One key signs the callbacks of all of pawaPay's merchants. What makes a callback ours is the host and path that are signed with
 * it: both must be covered, and the host must be the one that we gave pawaPay.
 */
export interface SignatureRules {
  /** Our host, as pawaPay was given it. Not the one of the request: its sender chooses that. */
  readonly host: string;
  readonly nowMs: number;
  readonly maxAgeMs: number;
  /** How far pawaPay's clock may be ahead of ours. */
  readonly skewMs: number;
}

export type Keys = ReadonlyMap<string, KeyObject>;

export type Verdict = { readonly valid: true } | { readonly valid: false; readonly detail: string };

/** [D] */
const LABEL = 'sig-pp';
/** [D] the one in pawaPay's description of callbacks. The other three are for what merchants sign. */
const ALGORITHM = 'ecdsa-p256-sha256';
const CURVE = 'prime256v1';
const RAW_SIGNATURE_BYTES = 64;
const COVERED = ['@method', '@authority', '@path', 'content-digest'] as const;
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['sha-256', 'sha256'],
  ['sha-512', 'sha512'],
]);

/** The key that a callback says it is signed with; null where it is not signed in a form that we read. */
export function keyIdOf(callback: ProviderCallback): string | null {
  const keyId = inputOf(callback)?.params.get('keyid');
  return typeof keyId === 'string' && keyId !== '' ? keyId : null;
}

export function verifyCallback(callback: ProviderCallback, keys: Keys, rules: SignatureRules): Verdict {
  const signatureText = headerOf(callback, 'signature');
  const digestText = headerOf(callback, 'content-digest');
  if (signatureText === undefined && headerOf(callback, 'signature-input') === undefined) return invalid('not signed');
  // Before all else: the rest is only about the headers.
  if (digestText === undefined || !isDigestOf(digestText, callback.body)) return invalid('not the digest of the body');
  const input = inputOf(callback);
  const signature = readBytes(readDictionary(signatureText ?? '')?.get(LABEL));
  if (input === null || signature === null) return invalid(`no readable signature under ${LABEL}`);
  if (COVERED.some((name) => !input.components.includes(name))) return invalid('covers too little');
  if (callback.host.toLowerCase() !== rules.host.toLowerCase()) return invalid('sent to another host');
  const age = ageFault(input, headerOf(callback, 'signature-date'), rules);
  if (age !== null) return invalid(age);
  if ((input.params.get('alg') ?? ALGORITHM) !== ALGORITHM) return invalid('another algorithm');
  const key = keys.get(keyIdOf(callback) ?? '');
  if (key === undefined) return invalid('an unknown key');
  const base = signatureBase(callback, input);
  if (base === null) return invalid('covers what is not there');
  return isSigned(base, signature, key) ? { valid: true } : invalid('not signed by this key');
}

/** null: it covers a header that is not there, or something that a callback has not. */
export function signatureBase(callback: ProviderCallback, { components, raw }: SignatureInput): string | null {
  const lines: string[] = [];
  for (const name of components) {
    const value = name.startsWith('@') ? derived(callback, name) : headerOf(callback, name);
    if (value === undefined) return null;
    lines.push(`"${name}": ${value}`);
  }
  return [...lines, `"@signature-params": ${raw}`].join('\n');
}

function derived({ method, host, path }: ProviderCallback, name: string): string | undefined {
  const mark = path.indexOf('?');
  switch (name) {
    case '@method':
      return method.toUpperCase();
    case '@authority':
      return host.toLowerCase();
    case '@path':
      return mark === -1 ? path : path.slice(0, mark);
    case '@query':
      return mark === -1 ? '?' : path.slice(mark);
    default:
      return undefined;
  }
}

/** Each digest that is named must be the body's, and one that we know must be there. */
function isDigestOf(header: string, body: Uint8Array): boolean {
  const named = [...(readDictionary(header) ?? [])].filter(([name]) => DIGESTS.has(name));
  return (
    named.length > 0 &&
    named.every(([name, text]) => {
      const told = readBytes(text);
      const own = createHash(DIGESTS.get(name) ?? '')
        .update(body)
        .digest();
      return told !== null && told.length === own.length && timingSafeEqual(told, own);
    })
  );
}

/** Whatever is told of its time must be of now, and something must be told. */
function ageFault(
  { params, components }: SignatureInput,
  date: string | undefined,
  rules: SignatureRules,
): string | null {
  const { nowMs, maxAgeMs, skewMs } = rules;
  const [created, expires] = [params.get('created'), params.get('expires')];
  const times: number[] = [];
  if (created !== undefined) times.push(typeof created === 'number' ? created * 1_000 : NaN);
  if (components.includes('signature-date')) times.push(Date.parse(date ?? ''));
  if (times.length === 0) return 'no time of its own';
  if (!times.every((time) => time >= nowMs - maxAgeMs && time <= nowMs + skewMs)) return 'too old, or not of now';
  const ends = expires === undefined ? Infinity : typeof expires === 'number' ? expires * 1_000 : NaN;
  return nowMs <= ends + skewMs ? null : 'expired';
}

/** RFC 9421 writes r and s side by side; pawaPay's own example writes DER. Both are taken. */
function isSigned(base: string, signature: Buffer, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== CURVE) return false;
  const data = Buffer.from(base);
  const encodings = signature.length === RAW_SIGNATURE_BYTES ? (['ieee-p1363', 'der'] as const) : (['der'] as const);
  return encodings.some((dsaEncoding) => verify('sha256', data, { key, dsaEncoding }, signature));
}

function inputOf(callback: ProviderCallback): SignatureInput | null {
  const raw = readDictionary(headerOf(callback, 'signature-input') ?? '')?.get(LABEL);
  return raw === undefined ? null : readSignatureInput(raw);
}

/** As it is covered: without spaces around it, and several lines of one name as one. */
function headerOf({ headers }: ProviderCallback, name: string): string | undefined {
  const values = Object.entries(headers).flatMap(([key, value]) =>
    key.toLowerCase() !== name || value === undefined ? [] : typeof value === 'string' ? [value] : [...value],
  );
  return values.length === 0 ? undefined : values.map((value) => value.trim()).join(', ');
}

function invalid(detail: string): Verdict {
  return { valid: false, detail };
}
