import { ERROR_CATALOGUE, type Problem } from '@vuka/domain';
import type { FastifyReply } from 'fastify';
import { stringify } from 'lossless-json';

import type { Operation } from '../operations/index.js';
import { limitHeaders } from './rate-limit-answer.js';

/** A problem as HTTP tells it. `status` where the catalogue's does not fit (405, 413, 415 and the like). */
export interface HttpProblem extends Problem {
  readonly status?: number;
}

export interface Success {
  readonly message: string;
  readonly data: unknown;
  /** Lists alone carry it (decisions.md section 1). */
  readonly nextCursor?: string | null;
  /** `data` holds LosslessNumbers, written out digit for digit. */
  readonly exactNumbers?: boolean;
}

const PROBLEM_TYPE = 'application/problem+json';

/**
 * Whether Accept names application/problem+json itself and would not rather have application/json (RFC 9110 section
 * 12.5.1: the most specific range counts). A wildcard asks for neither: who sends one has always been given the other.
 */
export function wantsProblemJson(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(PROBLEM_TYPE)) return false;
  const weights = new Map(accept.split(',').map(weighed));
  const asked = weights.get(PROBLEM_TYPE) ?? 0;
  const plain = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return asked > 0 && asked >= plain;
}

/** One range of an Accept and its weight, 0 for a weight that is none. */
function weighed(range: string): [string, number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return [type, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}

export function statusOf(problem: HttpProblem): number {
  return problem.status ?? ERROR_CATALOGUE[problem.code].status;
}

/** The body of an error: `{code, message}` only, or RFC 9457 for those who ask for it by name. */
export function problemBody(problem: HttpProblem, requestId: string, asProblemJson: boolean): string {
  const status = statusOf(problem);
  if (!asProblemJson) return JSON.stringify({ code: status, message: problem.message });
  const errors = (problem.faults ?? []).map((fault) => ({ detail: fault.detail, pointer: `#${fault.pointer}` }));
  return JSON.stringify({
    type: `urn:vuka:error:${problem.code}`,
    title: ERROR_CATALOGUE[problem.code].title,
    status,
    detail: problem.message,
    // RFC 9457 wants a URI reference, which a caller's own Request-Id need not be: `1:2` has a scheme that is none.
    instance: encodeURIComponent(requestId),
    errors,
  });
}

/** Of every answer: what it says is for the one who asked, now, and is never anything but what its type says. */
export const ANSWER_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Headers of every answer. The connection is given up when the server is on its way out. */
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

export function sendProblem(reply: FastifyReply, refused: HttpProblem): FastifyReply {
  const problem = worded(refused, reply.request.routeOptions.config.operation);
  const asProblemJson = wantsProblemJson(reply.request.headers.accept);
  const status = statusOf(problem);
  // RFC 9110 section 15.5.2: a 401 names its scheme.
  if (status === 401) void reply.header('www-authenticate', 'x-api-key');
  if (problem.retryAfterS !== undefined) {
    const seconds = Math.max(1, Math.ceil(problem.retryAfterS));
    void reply.header('retry-after', String(seconds));
    // What is left of the limit that refused, which is nothing, and not what is left of the one that let it through.
    if (problem.limit !== undefined) void reply.headers(limitHeaders(problem.limit, 0, seconds));
  }
  return (
    common(reply)
      .code(status)
      .header('content-type', asProblemJson ? PROBLEM_TYPE : 'application/json; charset=utf-8')
      .header('error-code', problem.code)
      // As bytes: Fastify adds a charset to text, and RFC 9457's type has none.
      .send(Buffer.from(problemBody(problem, reply.request.id, asProblemJson)))
  );
}

/** The problem as its operation words it: each 400 of a bank transfer starts alike. */
function worded(problem: HttpProblem, operation: Operation | undefined): HttpProblem {
  if (operation?.badRequest === undefined || statusOf(problem) !== 400) return problem;
  return { ...problem, message: operation.badRequest + problem.message };
}
