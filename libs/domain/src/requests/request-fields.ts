/**
 * A JSON number as the gateway's parser hands it on: its raw text, so that no digit is lost and an exponent
 * can be seen. Structurally lossless-json's LosslessNumber.
 */
export interface RawNumber {
  readonly isLosslessNumber: true;
  toString(): string;
}

/**
 * True for what the parser made, false for a client's own object with such members: those have a plain
 * prototype, and their `toString` may be anything.
 */
export function isRawNumber(value: unknown): value is RawNumber {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype || prototype === Array.prototype) return false;
  return (value as { isLosslessNumber?: unknown }).isLosslessNumber === true;
}

/** A member of the body; `""` and `null` mean absent, for every field (decisions.md section 1). */
export function fieldOf(body: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return value === '' || value === null ? undefined : value;
}

/** What a wrong value is, never what it holds. */
export function shapeOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (isRawNumber(value)) return 'a number';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  return `a ${typeof value}`;
}
