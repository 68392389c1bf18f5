import type { Currency } from '@vuka/domain';
import type { FastifyRequest } from 'fastify';

import type { Caller } from '../keys/index.js';
import type { Operation } from '../operations/index.js';
import { EMPTY_BODY, type JsonBody } from './json-body.js';
import type { Draining } from './draining.js';

declare module 'fastify' {
  interface FastifyInstance {
    draining: Draining;
  }
  interface FastifyRequest {
    /** What is asked, null where a path has nothing for it. */
    operation: Operation | null;
    caller: Caller | null;
    /** The address that the request came from: the socket's, or what a proxy says that we trust. undefined: the sender is gone. */
    cameFrom: string | undefined;
    /** What the path names, null where it leaves the currency out. */
    pathCurrency: Currency | null;
    /** Content-Type as it was sent, '' for none. */
    sentContentType: string;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** Who calls. The adapter has seen to it on every operation that takes a key; its absence is a bug. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('An operation without a key check asked who is calling');
  return request.caller;
}

/** As sent: one header twice is joined by Node into one text. */
export function idempotencyKeyOf(request: FastifyRequest): string | string[] | undefined {
  const values = request.raw.headersDistinct['idempotency-key'];
  return values?.length === 1 ? values[0] : values;
}

/** The body, `{}` where none was sent. */
export function bodyOf(request: FastifyRequest): JsonBody {
  return (request.body as JsonBody | null | undefined) ?? EMPTY_BODY;
}

/** The query as text, every parameter as often as it was sent. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
