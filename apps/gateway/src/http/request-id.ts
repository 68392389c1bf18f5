import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { CallContext } from '@vuka/contracts';
import { isSaneRequestId, newCallContext } from '@vuka/http';
import type { FastifyRequest } from 'fastify';

/** Every internal call of one request together gets this long (architecture.md section 2). */
const BUDGET_MS = 2_000;

/** The caller's Request-Id where it is sane, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const incoming = request.headers['request-id'];
  return typeof incoming === 'string' && isSaneRequestId(incoming) ? incoming : randomUUID();
}

/** What a request carries on into the services: its id, its trace, and the deadline that starts now. */
export function callContextOf(request: FastifyRequest): CallContext {
  const { traceparent } = request.headers;
  return newCallContext({
    requestId: request.id,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    budgetMs: BUDGET_MS,
  });
}
