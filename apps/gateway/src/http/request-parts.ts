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
    /** null: nothing at this path. */
    operation: Operation | null;
    caller: Caller | null;
    /** What operators are told of a refusal, where the answer tells less. */
    refusedFor: string | null;
    /** Socket or trusted proxy; undefined: the sender is gone. */
    cameFrom: string | undefined;
    /** null: not in the path. */
    pathCurrency: Currency | null;
    sentContentType: string;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

/** Set for every operation with a key; throws otherwise (a bug). */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('An operation without a key check asked who is calling');
  return request.caller;
}

/** Node joins a header that was sent twice. */
export function idempotencyKeyOf(request: FastifyRequest): string | string[] | undefined {
  const values = request.raw.headersDistinct['idempotency-key'];
  return values?.length === 1 ? values[0] : values;
}

export function bodyOf(request: FastifyRequest): JsonBody {
  return (request.body as JsonBody | null | undefined) ?? EMPTY_BODY;
}

/** As sent. An operation with `rawBody`. */
export function bytesOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Keeps repeated parameters. */
export function queryOf(request: FastifyRequest): URLSearchParams {
  const url = request.raw.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}
