import { MalformedAnswerError } from '../reader/json-values.js';

const HASH = /^0x[0-9a-fA-F]{64}$/;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** Accepts leading zeros, which some nodes send. */
const QUANTITY = /^0x[0-9a-fA-F]{1,16}$/;

/** 32 bytes, lower case. */
export function hashAt(value: unknown, where: string): string {
  return matching(HASH, value, where);
}

/** 20 bytes, lower case. */
export function addressAt(value: unknown, where: string): string {
  return matching(ADDRESS, value, where);
}

/** Throws unless a safe integer. */
export function quantityAt(value: unknown, where: string): number {
  const number = Number(matching(QUANTITY, value, where));
  if (!Number.isSafeInteger(number)) throw new MalformedAnswerError(where);
  return number;
}

function matching(pattern: RegExp, value: unknown, where: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new MalformedAnswerError(where);
  return value.toLowerCase();
}
