import { HttpException } from '@nestjs/common';

import type { HttpProblem } from './answer.js';

/** For Fastify's parser, where only exceptions pass. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(readonly problem: HttpProblem) {
    super(problem.message);
  }
}

export const UNKNOWN_OPERATION: HttpProblem = {
  code: 'not_found',
  message: 'Unknown operation: nothing is offered at this path',
};

export const NOT_OFFERED_YET: HttpProblem = { code: 'not_found', message: 'This operation is not offered yet' };

/** The same for missing, malformed, unknown, revoked and expired keys (decisions.md section 1). */
export const UNAUTHORIZED: HttpProblem = {
  code: 'unauthorized',
  message: 'The API key in the header x-api-key is missing or not valid',
};

/** This request was not accepted; an earlier one may have been. */
export const KEYS_UNREADABLE: HttpProblem = {
  code: 'service_unavailable',
  message:
    'API keys cannot be checked at the moment, so this request was not accepted. Send the same request again later',
};

/** If sent twice, others could read another value. */
export const SENT_TWICE = {
  host: { code: 'invalid_request', message: 'The header Host must be sent once' },
  contentType: { code: 'invalid_request', message: 'The header Content-Type must be sent once' },
} as const satisfies Record<string, HttpProblem>;

/** Fastify's own refusals, by status; others are malformed requests. */
const BY_STATUS: Readonly<Record<number, HttpProblem>> = {
  404: UNKNOWN_OPERATION,
  408: { code: 'invalid_request', status: 408, message: 'The request did not arrive completely in time' },
  413: { code: 'invalid_request', status: 413, message: 'The body is longer than 64 KiB' },
  414: { code: 'invalid_request', status: 414, message: 'The path is too long' },
  415: {
    code: 'invalid_request',
    status: 415,
    message: 'The body must be JSON in UTF-8 as it stands, with Content-Type: application/json and no Content-Encoding',
  },
  431: { code: 'invalid_request', status: 431, message: 'The request headers are too long' },
};

const MALFORMED: HttpProblem = { code: 'invalid_request', message: 'The request is malformed' };

export function problemOfStatus(status: number): HttpProblem {
  return BY_STATUS[status] ?? MALFORMED;
}

/** null: a bug or an outage. */
export function problemOfException(thrown: unknown): HttpProblem | null {
  if (thrown instanceof Refusal) return thrown.problem;
  const status: unknown =
    thrown instanceof HttpException ? thrown.getStatus() : (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? problemOfStatus(status) : null;
}
