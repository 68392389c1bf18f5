import { ERROR_CATALOGUE, type Problem } from '@vuka/domain';
import type { FastifyReply } from 'fastify';
import { stringify } from 'lossless-json';

import type { Operation } from '../operations/index.js';
import { limitHeaders } from './rate-limit-answer.js';

/** `status` overrides the catalogue's (405, 413, 415 and the like). */
export interface HttpProblem extends Problem {
  readonly status?: number;
}

export interface Success {
  readonly message: string;
  readonly data: unknown;
  /** Lists only (decisions.md section 1). */
  readonly nextCursor?: string | null;
  /** Writes LosslessNumbers digit for digit. */
  readonly exactNumbers?: boolean;
}

const PROBLEM_TYPE = 'application/problem+json';

/**
 * true if Accept names application/problem+json and does not prefer application/json (RFC 9110 section 12.5.1).
 * Wildcards do not count, for compatibility.
 */
export function wantsProblemJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const weights = new Map(accept.split(',').map(weighed));
  const asked = weights.get(PROBLEM_TYPE) ?? 0;
  const plain = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return asked > 0 && asked >= plain;
}

function weighed(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

export function statusOf(problem: HttpProblem): number {
  return problem.status ?? ERROR_CATALOGUE[problem.code].status;
}

export function problemBody(problem: HttpProblem, requestId: string, asProblemJson: boolean): string {
  const status = statusOf(problem);
  if (!asProblemJson) return JSON.stringify({ code: status, message: problem.message });
  const errors = (problem.faults ?? []).map((fault) => ({ detail: fault.detail, pointer: `#${fault.pointer}` }));
  return JSON.stringify({
    type: `urn:vuka:error:${problem.code}`,
    title: ERROR_CATALOGUE[problem.code].title,
    status,
    detail: problem.message,
    // RFC 9457 needs a URI reference, and a caller's Request-Id such as `1:2` is none.
    instance: encodeURIComponent(requestId),
    errors,
  });
}

/** Answers are for this caller only, and must not be read as another type. */
export const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** During shutdown each answer closes its connection. */
function common(reply: FastifyReply): FastifyReply {
  void reply.header('request-id', reply.request.id).headers(ANSWER_HEADERS);
  if (reply.server.draining.now) void reply.header('connection', 'close');
  return reply;
}

export function sendSuccess(reply: FastifyReply, success: Success): FastifyReply {
  const envelope = {
    code: 200,
    message: success.message,
    data: success.data,
    ...(success.nextCursor === undefined ? {} : { next_cursor: success.nextCursor }),
  };
  const text = success.exactNumbers === true ? stringify(envelope) : JSON.stringify(envelope);
  return common(reply).code(200).header('content-type', 'application/json; charset=utf-8').send(text);
}

/** In another party's form, as it stands. */
export function sendAs(
  reply: FastifyReply,
  { status, contentType, body }: { readonly status: number; readonly contentType: string; readonly body: string },
): FastifyReply {
  return common(reply).code(status).header('content-type', contentType).send(Buffer.from(body));
}

export function sendProblem(reply: FastifyReply, refused: HttpProblem): FastifyReply {
  const problem = worded(refused, reply.request.routeOptions.config.operation);
  const asProblemJson = wantsProblemJson(reply.request.headers.accept);
  const status = statusOf(problem);
  // RFC 9110 section 15.5.2.
  if (status === 401) void reply.header('www-authenticate', 'x-api-key');
  if (problem.retryAfterS !== undefined) {
    const seconds = Math.max(1, Math.ceil(problem.retryAfterS));
    void reply.header('retry-after', String(seconds));
    // Headers of the limit that refused, not of the one that passed.
    if (problem.limit !== undefined) void reply.headers(limitHeaders(problem.limit, 0, seconds));
  }
  return (
    common(reply)
      .code(status)
      .header('content-type', asProblemJson ? PROBLEM_TYPE : 'application/json; charset=utf-8')
      .header('error-code', problem.code)
      // As bytes: Fastify adds a charset to text, but RFC 9457's type has none.
      .send(Buffer.from(problemBody(problem, reply.request.id, asProblemJson)))
  );
}

/** Each operation has its own prefix for a 400. */
function worded(problem: HttpProblem, operation: Operation | undefined): HttpProblem {
  if (operation?.badRequest === undefined || statusOf(problem) !== 400) return problem;
  return { ...problem, message: operation.badRequest + problem.message };
}
