import type { IncomingMessage } from 'node:http';

import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { AddressRanges } from '@vuka/config';
import { fail, ok, type Currencies, type Currency, type Result } from '@vuka/domain';
import { type Logger, uuidv7 } from '@vuka/runtime';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import {
  answerClientError,
  answerConnect,
  BODY_LIMIT_BYTES,
  clientAddress,
  EMPTY_BODY,
  type HttpProblem,
  isBlank,
  isJsonType,
  KEYS_UNREADABLE,
  LIMIT_HEADERS,
  NOT_OFFERED_YET,
  parseJsonBody,
  problemOfStatus,
  Refusal,
  requestIdOf,
  sendProblem,
  SENT_TWICE,
  tellLimit,
  timesSent,
  UNAUTHORIZED,
  UNKNOWN_OPERATION,
} from '../http/index.js';
import type { AuthenticateCaller, Caller, UsedKeys } from '../keys/index.js';
import type { RateLimits } from '../limits/index.js';
import { allowedMethods, currencyOfPath, isNotOffered, type Operation, ROUTER_OPTIONS } from '../operations/index.js';
import { refusalOf } from './may-call.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set once the server takes no new connections: every answer then closes its own. */
    draining: { now: boolean };
  }
  interface FastifyRequest {
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

export interface GatewayAdapterOptions {
  readonly authenticate: Pick<AuthenticateCaller, 'run'>;
  readonly limits: Pick<RateLimits, 'countRequest' | 'countFailedKey'>;
  /** Told of each key that lets somebody in. */
  readonly usedKeys: Pick<UsedKeys, 'note'>;
  /** Who may say where a request came from; null: nobody. */
  readonly trustedProxies: AddressRanges | null;
  readonly draining: { now: boolean };
  /** With this deployment's limits. */
  readonly currencies: Currencies;
  /** Whether the operations of the sandbox alone exist. */
  readonly sandbox: boolean;
  readonly log: Logger;
}

/** A whole request has to arrive within this; a slower sender is cut off. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than the usual load balancer's 60 s, so that it is never we who close a connection it is about to use. */
const KEEP_ALIVE_MS = 75_000;

/**
 * The HTTP edge, before any controller: request id, routing errors, API key, limits, body. In this order (decisions.md
 * section 1): unknown operation 404, wrong method 405, 401 (one too many from an address: 429), 403 (may-call.ts), 429,
 * unknown currency 404, and only then the body is read. So a partner's limit counts whatever a key of the right kind asks,
 * sensible or not, and one request too many costs no body.
 *
 * A key is looked up before anything is counted, because what fails from an address must never refuse a key that opens.
 * So a bad key over its limit still costs a look: into memory where it was asked before, and else into the database, where
 * such looks have few places (`AuthenticateCaller`).
 *
 * When the body is there, the key is asked once more, and what it may do: a body may take its time, and who holds it back until a key is
 * revoked, limited or its partner suspended must get nothing by it.
 */
export function gatewayAdapter({ draining, ...options }: GatewayAdapterOptions): FastifyAdapter {
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
  instance.decorateRequest('cameFrom', undefined);
  instance.decorateRequest('pathCurrency', null);
  instance.decorateRequest('sentContentType', '');
  instance.server.on('connect', answerConnect);
  // An Expect that we do not know is ignored (RFC 9110 section 10.1.1 allows 417, which Node sends without a body).
  instance.server.on('checkExpectation', (request, response) => instance.server.emit('request', request, response));
  // Node would ask for the body at once; `letIn` does once it is known that somebody reads it.
  instance.server.on('checkContinue', (request, response) => {
    awaitContinue.add(request);
    instance.server.emit('request', request, response);
  });
  addOnRequestHook(instance, options);
  addBodyParser(instance);
  addKeyCheckBehindBody(instance, options);
  return adapter;
}

/** Requests whose sender keeps the body back until it is told to go on (`Expect: 100-continue`). */
const awaitContinue = new WeakSet<IncomingMessage>();

/** The body may come. */
function letIn(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  if (awaitContinue.has(request.raw)) reply.raw.writeContinue();
  done();
}

/** Answers without the body. Who keeps it back cannot tell whether it is still wanted, so that connection ends here. */
function turnAway(request: FastifyRequest, reply: FastifyReply, problem: HttpProblem): void {
  if (awaitContinue.has(request.raw)) void reply.header('connection', 'close');
  sendProblem(reply, problem);
}

type HookOptions = Omit<GatewayAdapterOptions, 'draining'>;

function addOnRequestHook(instance: FastifyInstance, options: HookOptions): void {
  instance.addHook('onRequest', (request, reply, done) => {
    // Taken away from Fastify, which would refuse an odd one even where there is no body to read.
    request.sentContentType = request.headers['content-type'] ?? '';
    request.raw.headers['content-type'] = undefined;
    request.cameFrom = clientAddress(
      request.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      options.trustedProxies,
    );
    // Node keeps the first and drops the rest, which whoever stands before us may have read (RFC 9112 section 3.2).
    if (timesSent('host', request.raw.rawHeaders) > 1) {
      turnAway(request, reply, SENT_TWICE.host);
      return;
    }
    const operation = request.routeOptions.config.operation;
    if (request.is404 || operation === undefined) {
      sendRoutingProblem(request, reply, options.sandbox);
      return;
    }
    if (operation.key === null) {
      letIn(request, reply, done);
      return;
    }
    judge(request, reply, operation, options).then(
      (problem) => {
        if (problem === null) letIn(request, reply, done);
        else turnAway(request, reply, problem);
      },
      (error: unknown) => turnAway(request, reply, keysUnreadable(request, reply, operation, options, error)),
    );
  });
}

/** Mostly an answer from memory: the key was asked for when the headers came. It is not counted once more. */
function addKeyCheckBehindBody(instance: FastifyInstance, options: HookOptions): void {
  instance.addHook('preHandler', (request, reply, done) => {
    const operation = request.routeOptions.config.operation;
    if (operation === undefined || operation.key === null) {
      done();
      return;
    }
    letInBy(request, reply, operation, options).then(
      (caller) => {
        if (caller.ok) {
          request.caller = caller.value;
          done();
        } else sendProblem(reply, caller.error);
      },
      (error: unknown) => sendProblem(reply, keysUnreadable(request, reply, operation, options, error)),
    );
  });
}

function keysUnreadable(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  { log }: HookOptions,
  error: unknown,
): HttpProblem {
  log.error({ err: error, request_id: request.id }, 'an API key could not be looked up');
  // Nothing was asked of payments under this code, and that is what asking for it will tell.
  if (operation.money && operation.noTransaction !== true) void reply.header('transaction-code', uuidv7());
  return KEYS_UNREADABLE;
}

/** Who calls; the problem of a key that does not open, which is counted for the address. Throws where keys cannot be read. */
async function openedBy(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, limits }: HookOptions,
): Promise<Result<Caller, HttpProblem>> {
  // One that is sent twice comes joined by a comma, which no key has.
  const caller = await authenticate.run(request.headers['x-api-key']);
  if (caller !== null) return ok(caller);
  // What was told while the key still opened was its partner's.
  for (const header of LIMIT_HEADERS) void reply.removeHeader(header);
  return fail(tellLimit(reply, await limits.countFailedKey(request.cameFrom)) ?? UNAUTHORIZED);
}

/** Who calls, if the key opens and may do this from here; else the problem. Throws where keys cannot be read. */
async function letInBy(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  options: HookOptions,
): Promise<Result<Caller, HttpProblem>> {
  const opened = await openedBy(request, reply, options);
  const refusal = opened.ok ? refusalOf(opened.value, operation, request.cameFrom) : null;
  return refusal === null ? opened : fail(refusal);
}

/** Notes who calls and about which currency; the problem where they may not, or not so often, or there is no such currency. */
async function judge(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
  options: HookOptions,
): Promise<HttpProblem | null> {
  const { limits, currencies, usedKeys } = options;
  const opened = await letInBy(request, reply, operation, options);
  if (!opened.ok) return opened.error;
  const caller = opened.value;
  usedKeys.note(caller.visiblePrefix);
  const tooMany = tellLimit(reply, await limits.countRequest(caller.partnerId, operation));
  if (tooMany !== null) return tooMany;
  const currency = currencyOfPath((request.params as { currency?: string }).currency, operation.offer, currencies);
  if (!currency.ok) return currency.error;
  request.caller = caller;
  request.pathCurrency = currency.value;
  return null;
}

function sendRoutingProblem(request: FastifyRequest, reply: FastifyReply, sandbox: boolean): void {
  if (isNotOffered(request.url)) {
    turnAway(request, reply, NOT_OFFERED_YET);
    return;
  }
  const allowed = allowedMethods(request.url, sandbox).join(', ');
  if (allowed === '') {
    turnAway(request, reply, UNKNOWN_OPERATION);
    return;
  }
  void reply.header('allow', allowed);
  turnAway(request, reply, {
    code: 'invalid_request',
    status: 405,
    message: `This operation takes the method ${allowed}`,
  });
}

function addBodyParser(instance: FastifyInstance): void {
  instance.removeAllContentTypeParsers();
  instance.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (isBlank(bytes)) {
      done(null, EMPTY_BODY);
      return;
    }
    if (timesSent('content-type', request.raw.rawHeaders) > 1) {
      done(new Refusal(SENT_TWICE.contentType));
      return;
    }
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity' || !isJsonType(request.sentContentType)) {
      done(new Refusal(problemOfStatus(415)));
      return;
    }
    const body = parseJsonBody(bytes);
    if (body.ok) done(null, body.value);
    else done(new Refusal(body.error));
  });
}
