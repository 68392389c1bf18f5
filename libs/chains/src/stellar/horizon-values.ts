import { MalformedAnswerError } from '../reader/json-values.js';

const HASH = /^[0-9a-f]{64}$/;
const AMOUNT = /^(\d{1,12})\.(\d{7})$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const NUMBER = /^\d{1,20}$/;
const ASSET_CODE = /^[A-Za-z0-9]{1,12}$/;
/** Form only: a sender's checksum decides nothing. */
const PARTY = /^[GCLB][A-Z2-7]{55,58}$/;
const ISSUER = /^G[A-Z2-7]{55}$/;
const MOST_UINT64 = 2n ** 64n - 1n;
const MOST_LEDGER = 2 ** 31 - 1;

/** 32 bytes, lower case. */
export function hashAt(value: unknown, where: string): string {
  return matching(HASH, value, where);
}

/** Minor units. Horizon always writes seven decimals, never `1.5` or `1e3`. */
export function amountAt(value: unknown, where: string): bigint {
  const [, whole = '', part = ''] = AMOUNT.exec(matching(AMOUNT, value, where)) ?? [];
  return BigInt(whole + part);
}

export function ledgerAt(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > MOST_LEDGER)
    throw new MalformedAnswerError(where);
  return value;
}

export function countAt(value: unknown, where: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new MalformedAnswerError(where);
  return value;
}

/** Epoch ms. */
export function timeAt(value: unknown, where: string): number {
  const ms = Date.parse(matching(TIME, value, where));
  if (Number.isNaN(ms)) throw new MalformedAnswerError(where);
  return ms;
}

/** Unsigned 64 bits, decimal: muxed ids, memo ids, paging tokens. */
export function uint64At(value: unknown, where: string): bigint {
  const number = BigInt(matching(NUMBER, value, where));
  if (number > MOST_UINT64) throw new MalformedAnswerError(where);
  return number;
}

export function partyAt(value: unknown, where: string): string {
  return matching(PARTY, value, where);
}

/** `CODE:ISSUER`; undefined for the native coin. */
export function assetAt(
  { asset_type: type, asset_code: code, asset_issuer: issuer }: Readonly<Record<string, unknown>>,
  where: string,
): string | undefined {
  if (type === 'native') return undefined;
  if (type !== 'credit_alphanum4' && type !== 'credit_alphanum12')
    throw new MalformedAnswerError(`${where}.asset_type`);
  return `${matching(ASSET_CODE, code, `${where}.asset_code`)}:${matching(ISSUER, issuer, `${where}.asset_issuer`)}`;
}

export function booleanAt(value: unknown, where: string): boolean {
  if (typeof value !== 'boolean') throw new MalformedAnswerError(where);
  return value;
}

function matching(pattern: RegExp, value: unknown, where: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new MalformedAnswerError(where);
  return value;
}
