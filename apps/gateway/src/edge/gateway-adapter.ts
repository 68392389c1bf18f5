import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';

import { answerClientError, BODY_LIMIT_BYTES, problemOfStatus, requestIdOf, sendProblem } from '../http/index.js';
import { ROUTER_OPTIONS } from '../operations/index.js';

/** A whole request has to arrive within this; a slower sender is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than the usual load balancer's 60 s, so that it is never we who close a connection it is about to use. */
const KEEP_ALIVE_MS = 75_000;

/** Fastify as the gateway wants it. */
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
    // HTTP/1.1 without Host is answered by us, as JSON, rather than by Node without a body.
    // Node lets headers take 60 s unless told otherwise, and then the whole request too.
    http: { requireHostHeader: false, headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(reply, problemOfStatus(error.statusCode ?? 400));
    },
  });
}
