import { ERROR_CATALOGUE, REFERENCE_PATTERN, type ErrorCode } from '@vuka/domain';

import { type JsonSchema, refTo } from '../operations/index.js';

/** From rate-limits.ts and validation. */
const LIMIT_NAME = '(partner|lookups|destination|failed-auth)';

export const HEADERS = {
  'Request-Id': {
    description: 'Name of this request: yours where you sent a sane one. Tell it when you ask us about an answer',
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._:/=+@-]{1,128}$' },
  },
  'Transaction-Code': {
    description: 'What to ask for the outcome by, also where this answer leaves it open',
    required: true,
    schema: { type: 'string', pattern: REFERENCE_PATTERN.source },
  },
  'Perhaps-Transaction-Code': {
    description: 'What to ask for the outcome by, where there may be a transaction',
    schema: { type: 'string', pattern: REFERENCE_PATTERN.source },
  },
  'Idempotent-Replayed': {
    description: '`true` where this very request had been accepted before: it is one transaction, or one order',
    schema: { type: 'string', const: 'true' },
  },
  RateLimit: {
    description:
      'By the limit named first: `r` requests are left, and in `t` seconds all of them are back, or, of a 429, the next one',
    schema: { type: 'string', pattern: `^"${LIMIT_NAME}";r=\\d+;t=\\d+$` },
    example: '"partner";r=499;t=1',
  },
  'RateLimit-Policy': {
    description:
      'Of the limit named first: `q` requests may come at once, and are all back after `w` seconds. `partner`: all requests of a partner. `lookups`: its name lookups, counted instead. `destination`: those of one destination. `failed-auth`: requests from one address whose key does not open',
    schema: { type: 'string', pattern: `^"${LIMIT_NAME}";q=\\d+;w=\\d+$` },
    example: '"partner";q=500;w=5',
  },
  'Retry-After': {
    description: 'Whole seconds after which it is worth asking again',
    required: true,
    schema: { type: 'integer', minimum: 0 },
  },
  'Perhaps-Retry-After': {
    description: 'Whole seconds after which it is worth asking again',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'The header that takes the key', required: true, schema: { type: 'string' } },
} as const satisfies Record<string, JsonSchema>;

/** Real names of headers that are described twice. */
const HEADER_NAMES = { 'Perhaps-Transaction-Code': 'Transaction-Code', 'Perhaps-Retry-After': 'Retry-After' } as const;

type HeaderName = keyof typeof HEADERS;

export function headers(...names: readonly HeaderName[]): Record<string, JsonSchema> {
  const headerNames: Readonly<Record<string, string>> = HEADER_NAMES;
  return Object.fromEntries(names.map((name) => [headerNames[name] ?? name, refTo('headers', name)]));
}

export function errorCodeHeader(codes: readonly ErrorCode[]): JsonSchema {
  const meaning = codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].title}`).join('. ');
  return {
    description: `The reason, for programs. ${meaning}`,
    required: true,
    schema: { type: 'string', enum: codes },
  };
}
