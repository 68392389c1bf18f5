import { fail, ok, type Result } from '@vuka/domain';

const MAX_LENGTH = 255;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x20\x21\x23-\x7e]+$/;

function invalid(rule: string): Result<never> {
  return fail({ code: 'invalid_request', message: `The header Idempotency-Key ${rule}` });
}

/** A structured-field string or bare text; both are one key. null: absent. Errors: invalid_request. */
export function parseIdempotencyKey(header: string | string[] | undefined): Result<string | null> {
  if (header === undefined || header === '' || header === '""') return ok(null);
  if (typeof header !== 'string') return invalid('must be sent once');
  const quoted = QUOTED.exec(header)?.[1]?.replace(/\\(["\\])/g, '$1');
  if (quoted === undefined && !BARE.test(header)) return invalid('must be printable ASCII, quoted or bare');
  const key = quoted ?? header;
  return key.length <= MAX_LENGTH ? ok(key) : invalid(`must be at most ${String(MAX_LENGTH)} characters long`);
}
