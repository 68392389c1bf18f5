import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { answerClientError, BODY_LIMIT_BYTES, problemOfStatus, requestIdOf, sendProblem } from '../http/index.js';
import { ROUTER_OPTIONS } from '../operations/index.js';

const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than a load balancer's usual 60 s, so that we never close a connection it is about to use. */
const KEEP_ALIVE_MS = 75_000;

export function gatewayAdapter(): FastifyAdapter {
  return new FastifyAdapter({
    skipMiddie: true,
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestIdHeader: false,
    genReqId: requestIdOf,
    routerOptions: ROUTER_OPTIONS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // A request without Host gets our JSON error. Without headersTimeout Node allows 60 s, also for the whole
    // request.
    http: { requireHostHeader: false, headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, problemOfStatus(error.statusCode ?? 400));
    },
  });
}
