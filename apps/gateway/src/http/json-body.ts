import { fail, isRawNumber, ok, type Result } from '@vuka/domain';
import { parse } from 'lossless-json';

/** decisions.md section 1. */
export const BODY_LIMIT_BYTES = 65_536;

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Has no prototype. Numbers keep their raw text (LosslessNumber). */
export type JsonBody = Readonly<Record<string, unknown>>;

export const EMPTY_BODY: JsonBody = Object.freeze(Object.create(null) as Record<string, unknown>);

/** application/json, any +json type, or no type; UTF-8. */
export function isJsonType(contentType: string): boolean {
  const [first = '', ...parameters] = contentType.toLowerCase().split(';');
  const type = first.trim();
  if (type !== '' && type !== 'application/json' && !/^application\/[\w.!#$&^-]+\+json$/.test(type)) return false;
  return parameters.every((parameter) => !/^\s*charset\s*=/.test(parameter) || UTF_8.test(parameter));
}

const UTF_8 = /=\s*("?)utf-?8\1\s*$/;

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** Counted before parsing, which would recurse that deep. */
function nestingDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth--;
  }
  return deepest;
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !/\0|\p{Surrogate}/u.test(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner));
  }
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

function malformed(message: string): Result<never> {
  return fail({ code: 'invalid_request', message, faults: [{ detail: message, pointer: '' }] });
}

/** A blank body is `EMPTY_BODY`. Errors: invalid_request. Never throws. */
export function parseJsonBody(bytes: Uint8Array): Result<JsonBody> {
  if (isBlank(bytes)) return ok(EMPTY_BODY);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return malformed('The body is not valid UTF-8');
  }
  if (nestingDepth(text) > MAX_DEPTH) return malformed(`The body is nested deeper than ${String(MAX_DEPTH)} levels`);
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    // The parser's message quotes the input, which may be secret.
    return malformed('The body is not valid JSON, or names one field twice with different values');
  }
  if (!isObject(value)) return malformed('The body must be a JSON object');
  // Raw, both were already refused; only an escape can hide them.
  if (text.includes('\\u') && !isStorable(value)) {
    return malformed('The body holds a NUL character or an unpaired surrogate');
  }
  return ok(Object.assign(Object.create(null) as Record<string, unknown>, value));
}
