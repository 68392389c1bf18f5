/**
 * Keeps the raw text of a JSON number: every digit, and any exponent. Structurally lossless-json's
 * LosslessNumber.
 */
export interface RawNumber {
  readonly isLosslessNumber: true;
  toString(): string;
}

/**
 * False for a client's object with such members: it has a plain prototype, and its `toString` can be anything.
 */
export function isRawNumber(value: unknown): value is RawNumber {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || prototype === Array.prototype) return false;
  return (value as { isLosslessNumber?: unknown }).isLosslessNumber === true;
}

/** `""` and `null` mean absent (decisions.md section 1). */
export function fieldOf(body: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return value === '' || value === null ? undefined : value;
}

/** Never the value itself. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isRawNumber(value)) return 'a number';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}
