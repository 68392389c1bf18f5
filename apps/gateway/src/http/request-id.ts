import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { CallContext } from '@vuka/contracts';
import { isSaneRequestId, newCallContext } from '@vuka/http';
import type { FastifyRequest } from 'fastify';

/** For all internal calls of a request (architecture.md section 2). */
const BUDGET_MS = 2_000;

export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const incoming = request.headers['request-id'];
  return typeof incoming === 'string' && isSaneRequestId(incoming) ? incoming : randomUUID();
}

/** The deadline starts now. */
export function callContextOf(request: FastifyRequest, budgetMs = BUDGET_MS): CallContext {
  const { traceparent } = request.headers;
  return newCallContext({
    requestId: request.id,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    budgetMs,
  });
}
