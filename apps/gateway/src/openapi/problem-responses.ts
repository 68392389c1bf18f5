import { ERROR_CATALOGUE, ERROR_CODES, type ErrorCode } from '@vuka/domain';

import { type JsonSchema, refTo } from '../operations/index.js';
import { errorCodeHeader, headers } from './response-headers.js';

/** Refused at the edge: longer than 64 KiB, or not JSON. */
const OF_THE_EDGE: Readonly<Record<number, string>> = {
  413: 'The body is longer than 64 KiB',
  415: 'The body is not JSON, or comes with a Content-Encoding',
};

const OF_STATUS: Readonly<Record<number, string>> = {
  400: 'Malformed, or against a rule. `message` names the field and the rule; with `Accept: application/problem+json`, `errors` names every fault',
  401: 'The key is missing, unknown, revoked or expired: one answer for all of them',
  402: 'The wallet does not cover amount and service fee. Nothing is recorded',
  403: '`message` says why: the other kind of key, one without the scope, or one that may not be used from where the request came from',
  404: 'There is none, or it is not yours: both look the same',
  409: 'In the way of another request: which, `Error-Code` tells. Names the transaction there is',
  422: 'The `Idempotency-Key` belongs to another payload',
  429: 'Too many requests. Ask again after `Retry-After` seconds',
  503: 'A service is not available. `message` says whether nothing was done, or the outcome is open and how to find out',
  504: 'Not confirmed in time: the outcome is open, and `message` says how to find out. Sending the same request again with the same `reference` or `Idempotency-Key` never pays twice',
};

const OF_STOPPED = '; the account is suspended, or nothing may go out of it now';

const OF_DESTINATION =
  '. Either all your lookups together are too many, or those of this one destination: `RateLimit` and `RateLimit-Policy` name the limit that refused, `lookups` or `destination`';

const PROBLEM: JsonSchema = {
  type: 'object',
  description: 'Every error, unless asked for otherwise. Its reason for programs is in the header `Error-Code`',
  properties: {
    code: { type: 'integer', description: 'The HTTP status' },
    message: { type: 'string', description: 'For people. Names the field and the rule' },
  },
  required: ['code', 'message'],
  additionalProperties: false,
};

const PROBLEM_DETAILS: JsonSchema = {
  type: 'object',
  description: 'RFC 9457, for those whose Accept names application/problem+json',
  properties: {
    type: { type: 'string', enum: ERROR_CODES.map((code) => `urn:vuka:error:${code}`) },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: {
      type: 'string',
      format: 'uri-reference',
      description: 'The request’s `Request-Id`, percent-encoded where it has more than letters, digits and `. _ -`',
    },
    errors: {
      type: 'array',
      description: 'Every fault that was found, the first of which is in `detail`',
      items: {
        type: 'object',
        properties: {
          detail: { type: 'string' },
          pointer: { type: 'string', description: 'Where in the body: `#/amount`; `#` for the whole of it' },
        },
        required: ['detail', 'pointer'],
        additionalProperties: false,
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'errors'],
  additionalProperties: false,
};

export const PROBLEM_SCHEMAS = { Problem: PROBLEM, ProblemDetails: PROBLEM_DETAILS } as const;

export interface ProblemsOf {
  readonly codes: readonly ErrorCode[];
  readonly readsBody: boolean;
  /** Money may have moved on a failure. */
  readonly money: boolean;
  readonly lookups: boolean;
  readonly notWhileSuspended: boolean;
  /** Prefix of each 400. */
  readonly badRequest: string;
}

/** Ordered by status. `register` places each among the components. */
export function problemResponses(
  of: ProblemsOf,
  register: (name: string, response: JsonSchema) => JsonSchema,
): Record<string, JsonSchema> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of ERROR_CODES.filter((known) => of.codes.includes(known))) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  if (of.readsBody)
    for (const status of Object.keys(OF_THE_EDGE)) byStatus.set(parseInt(status, 10), ['invalid_request']);
  const entries = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    entries.map(([status, codes]) => {
      const name = [
        String(status),
        ...codes,
        ...(of.money ? ['money'] : []),
        ...(of.lookups && status === 429 ? ['lookups'] : []),
        ...(of.notWhileSuspended && status === 403 ? ['stopped'] : []),
        ...(status === 400 && of.badRequest !== '' ? ['worded'] : []),
      ].join('-');
      return [String(status), register(name, problemResponse(status, codes, of))];
    }),
  );
}

function problemResponse(
  status: number,
  codes: readonly ErrorCode[],
  { money, lookups, notWhileSuspended, badRequest }: ProblemsOf,
): JsonSchema {
  const [first] = codes;
  const title = first === undefined ? '' : ERROR_CATALOGUE[first].title;
  const told = OF_THE_EDGE[status] ?? OF_STATUS[status] ?? title;
  const message = (status === 400 ? badRequest : '') + (OF_THE_EDGE[status] ?? title);
  return {
    description:
      told +
      (lookups && status === 429 ? OF_DESTINATION : '') +
      (notWhileSuspended && status === 403 ? OF_STOPPED : ''),
    headers: { ...headers('Request-Id'), 'Error-Code': errorCodeHeader(codes), ...ofStatus(status, money) },
    content: {
      'application/json': { schema: refTo('schemas', 'Problem'), example: { code: status, message } },
      'application/problem+json': {
        schema: refTo('schemas', 'ProblemDetails'),
        example: {
          type: `urn:vuka:error:${String(first)}`,
          title,
          status,
          detail: message,
          instance: '0e6c1a52-1d2f-4a57-9a0e-5e2f7b6c1d20',
          errors: [],
        },
      },
    },
  };
}

function ofStatus(status: number, money: boolean): Record<string, JsonSchema> {
  switch (status) {
    case 401:
      return headers('WWW-Authenticate');
    case 409:
    case 504:
      return money ? headers('Transaction-Code') : {};
    case 429:
      return headers('RateLimit', 'RateLimit-Policy', 'Retry-After');
    case 503:
      return { ...(money && headers('Perhaps-Transaction-Code')), ...headers('Perhaps-Retry-After') };
    default:
      return {};
  }
}
