import { ContractError } from '@vuka/runtime';

/**
 * JSON cannot express these, so they are objects with one `$` member. `$object` stands for a plain object that has
 * such a name.
 */
type Tag = '$date' | '$bigint' | '$map' | '$undefined' | '$object';

const DEEPEST = 64;

/** Throws ContractError for classes, functions, and beyond 64 levels (a cycle). */
export function tagged(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) throw new ContractError('an answer of an admin API is nested too deep');
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value === undefined) return tag('$undefined', true);
  if (typeof value === 'bigint') return tag('$bigint', value.toString());
  if (value instanceof Date && !Number.isNaN(value.getTime())) return tag('$date', value.toISOString());
  if (Array.isArray(value)) return value.map((one) => tagged(one, depth + 1));
  if (value instanceof Map)
    return tag(
      '$map',
      [...value].map(([key, one]) => [tagged(key, depth + 1), tagged(one, depth + 1)]),
    );
  if (!isPlain(value)) throw new ContractError('an answer of an admin API holds what cannot be written');
  const members = Object.entries(value).map(([key, one]) => [key, tagged(one, depth + 1)] as const);
  return members.some(([key]) => key.startsWith('$')) ? tag('$object', members) : Object.fromEntries(members);
}

/** Reverses tagged(). Throws ContractError. */
export function untagged(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST * 2) throw new ContractError('a message to an admin API is nested too deep');
  if (Array.isArray(value)) return value.map((one) => untagged(one, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  const [only] = members;
  if (only?.[0].startsWith('$') !== true)
    return Object.fromEntries(members.map(([key, one]) => [key, untagged(one, depth + 1)]));
  return untag(only[0], only[1], depth);
}

function untag(name: string, value: unknown, depth: number): unknown {
  switch (name as Tag) {
    case '$undefined':
      return undefined;
    case '$bigint':
      if (typeof value === 'string' && /^-?\d{1,100}$/.test(value)) return BigInt(value);
      break;
    case '$date':
      if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return new Date(value);
      break;
    case '$map':
      return new Map(pairs(value).map(([key, one]) => [untagged(key, depth + 1), untagged(one, depth + 1)]));
    case '$object':
      return Object.fromEntries(pairs(value).map(([key, one]) => [String(key), untagged(one, depth + 1)]));
  }
  throw new ContractError('a message to an admin API cannot be read');
}

function pairs(value: unknown): [unknown, unknown][] {
  if (
    Array.isArray(value) &&
    value.every((pair): pair is [unknown, unknown] => Array.isArray(pair) && pair.length === 2)
  )
    return value;
  throw new ContractError('a message to an admin API cannot be read');
}

function tag(name: Tag, value: unknown): object {
  return { [name]: value };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of the driver or another realm have another prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
