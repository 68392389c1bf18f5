import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Currency } from '@vuka/domain';
import { uuidv7, type Logger } from '@vuka/platform';

import type { AuthenticateCaller, Caller } from '../authenticate-caller.js';
import { currencyOfPath } from '../path-currency.js';
import { sendProblem, type HttpProblem } from './answer.js';
import { BODY_LIMIT_BYTES, isJsonType, parseJsonBody } from './json-body.js';
import { allowedMethods, isNotOffered, ROUTER_OPTIONS, type Operation } from './operations.js';
import { answerClientError, answerConnect } from './raw-answer.js';
import { KEYS_UNREADABLE, NOT_OFFERED_YET, problemOfStatus, Refusal, UNAUTHORIZED, UNKNOWN_OPERATION } from './refusal.js';
import { requestIdOf } from './request-id.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set once the server takes no new connections: every answer then closes its own. */
    draining: { now: boolean };
  }
  interface FastifyRequest {
    caller: Caller | null;
    /** What the path names, null where it leaves the currency out. */
    pathCurrency: Currency | null;
    /** Content-Type as it was sent, '' for none. */
    sentContentType: string;
  }
  interface FastifyContextConfig {
    operation?: Operation;
  }
}

export interface GatewayAdapterOptions {
  readonly authenticate: Pick<AuthenticateCaller, 'run'>;
  readonly draining: { now: boolean };
  /** Whether the operations of the sandbox alone exist. */
  readonly sandbox: boolean;
  readonly log: Logger;
}

/** A whole request has to arrive within this; a slower sender is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than the usual load balancer's 60 s, so that it is never we who close a connection it is about to use. */
const KEEP_ALIVE_MS = 75_000;

/**
 * The HTTP edge, before any controller: request id, routing errors, API key, body. In this order (decisions.md
 * section 1): unknown operation 404, wrong method 405, 401, 403, unknown currency 404, and only then the body is read.
 */
export function gatewayAdapter({ authenticate, draining, sandbox, log }: GatewayAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
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
  const instance = adapter.getInstance<FastifyInstance>();
  instance.decorate('draining', draining);
  instance.decorateRequest('caller', null);
  instance.decorateRequest('pathCurrency', null);
  instance.decorateRequest('sentContentType', '');
  instance.server.on('connect', answerConnect);
  // An Expect that we do not know is ignored (RFC 9110 section 10.1.1 allows 417, which Node sends without a body).
  instance.server.on('checkExpectation', (request, response) => instance.server.emit('request', request, response));
  addOnRequestHook(instance, { authenticate, sandbox, log });
  addBodyParser(instance);
  return adapter;
}

function addOnRequestHook(instance: FastifyInstance, { authenticate, sandbox, log }: Omit<GatewayAdapterOptions, 'draining'>): void {
  instance.addHook('onRequest', (request, reply, done) => {
    // Taken away from Fastify, which would refuse an odd one even where there is no body to read.
    request.sentContentType = request.headers['content-type'] ?? '';
    request.raw.headers['content-type'] = undefined;
    const operation = request.routeOptions.config.operation;
    if (request.is404 || operation === undefined) {
      sendRoutingProblem(request, reply, sandbox);
      return;
    }
    if (operation.key === null) {
      done();
      return;
    }
    authenticate.run(request.headers['x-api-key']).then(
      (caller) => {
        const problem = admit(request, operation, caller);
        if (problem === null) done();
        else sendProblem(reply, problem);
      },
      (error: unknown) => {
        log.error({ err: error, request_id: request.id }, 'an API key could not be looked up');
        // Nothing was asked of payments under this code, and that is what asking for it will tell.
        if (operation.money) void reply.header('transaction-code', uuidv7());
        sendProblem(reply, KEYS_UNREADABLE);
      },
    );
  });
}

/** Notes who calls and about which currency; the problem where they may not, or there is no such currency. */
function admit(request: FastifyRequest, { key, offer }: Operation, caller: Caller | null): HttpProblem | null {
  if (caller === null) return UNAUTHORIZED;
  if (caller.kind !== key) {
    return { code: 'forbidden', message: `This operation takes a ${String(key)} key, not a ${caller.kind} key` };
  }
  const currency = currencyOfPath((request.params as { currency?: string }).currency, offer);
  if (!currency.ok) return currency.error;
  request.caller = caller;
  request.pathCurrency = currency.value;
  return null;
}

function sendRoutingProblem(request: FastifyRequest, reply: FastifyReply, sandbox: boolean): void {
  if (isNotOffered(request.url)) {
    sendProblem(reply, NOT_OFFERED_YET);
    return;
  }
  const allowed = allowedMethods(request.url, sandbox).join(', ');
  if (allowed === '') {
    sendProblem(reply, UNKNOWN_OPERATION);
    return;
  }
  void reply.header('allow', allowed);
  sendProblem(reply, { code: 'invalid_request', status: 405, message: `This operation takes the method ${allowed}` });
}

function addBodyParser(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (bytes.length > 0 && (encoding !== 'identity' || !isJsonType(request.sentContentType))) {
      done(new Refusal(problemOfStatus(415)));
      return;
    }
    const body = parseJsonBody(bytes);
    if (body.ok) done(null, body.value);
    else done(new Refusal(body.error));
  });
}
