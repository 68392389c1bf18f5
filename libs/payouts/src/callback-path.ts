import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Hex of callback paths by provider id, the current one first. Whoever knows one can give us hints, and no more. */
export type CallbackTokens = ReadonlyMap<string, readonly string[]>;

/** Hex alone: some providers refuse paths with words such as `cmd`. */
export const CALLBACK_TOKEN = /^[0-9a-f]{32,128}$/;
/** The attempt's id, then 128 bits of its HMAC. */
export const ATTEMPT_TOKEN = /^[0-9a-f]{64}$/;

const ID_DIGITS = 32;
/** A current and a previous one. */
const COMPARED = 2;

/** Where a provider calls back. `attemptId`: for providers whose bodies are not signed, the path names the attempt. */
export function callbackPathOf(provider: string, token: string, attemptId?: string): string {
  const path = `/callbacks/${provider}/${token}`;
  return attemptId === undefined ? path : `${path}/${attemptTokenOf(token, attemptId)}`;
}

/** Where a provider asks before it pays. */
export function approvalPathOf(provider: string, token: string): string {
  return `/approvals/${provider}/${token}`;
}

/** As they were sent, a pair each. */
export function callbackHeaders(pairs: readonly (readonly [name: string, value: string])[]): Record<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of pairs) byName.set(name, [...(byName.get(name) ?? []), value]);
  return Object.fromEntries(byName);
}

export function attemptTokenOf(token: string, attemptId: string): string {
  const id = attemptId.toLowerCase().replaceAll('-', '');
  return id + createHmac('sha256', token).update(id).digest('hex').slice(0, ID_DIGITS);
}

/** The attempt that a path names; null: the token is of none of ours. */
export function attemptIdIn(attemptToken: string, tokens: readonly string[]): string | null {
  if (!ATTEMPT_TOKEN.test(attemptToken)) return null;
  const id = attemptToken.slice(0, ID_DIGITS).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const matches = padded(tokens).map((token) => isSame(attemptToken, attemptTokenOf(token, id)) && token !== '');
  return matches.includes(true) ? id : null;
}

/** Its time tells neither how much of a token is right, nor whether there is one. */
export function isOneOf(shown: string, tokens: readonly string[]): boolean {
  return padded(tokens)
    .map((token) => isSame(shown, token) && token !== '')
    .includes(true);
}

function padded(tokens: readonly string[]): string[] {
  return Array.from({ length: Math.max(COMPARED, tokens.length) }, (_, place) => tokens[place] ?? '');
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
