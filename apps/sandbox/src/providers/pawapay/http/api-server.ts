import { createHash, timingSafeEqual } from 'node:crypto';

import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';

import { failureReason, SUBMIT_CODES } from '../behaviour/failure-codes.js';
import { addDownloadRoute, addStatementRoutes } from '../statements/statement-routes.js';
import type { Context } from './context.js';
import { sendUnknownError } from './faulty-answers.js';
import { addPayoutRoutes } from './payout-routes.js';
import { addToolkitRoutes } from './toolkit-routes.js';

const MAX_BODY_BYTES = 64 * 1024;
/** Longer than a client's idle time, so that it is the client who lets a quiet connection go. */
const KEEP_ALIVE_MS = 75_000;

export interface TlsKey {
  readonly key: string;
  readonly cert: string;
}

export type ServerLog = (error: unknown, what: string) => void;

/** pawaPay's merchant API, as far as payouts go. */
export function apiServer(context: Context, log: ServerLog, https: TlsKey | null): FastifyInstance {
  const server = bareServer(log, https);
  server.addHook('preClose', async () => context.withheld.end());
  const isOurs = tokenCheck(context.token);
  server.addHook('onRequest', async (request, reply) => {
    if (request.url.startsWith('/downloads/')) return undefined;
    const { authorization } = request.headers;
    if (authorization === undefined) return refuse(reply, SUBMIT_CODES.NO_AUTHENTICATION, 'NO_AUTHENTICATION');
    if (!isOurs(authorization)) return refuse(reply, context.settings.wrongTokenStatus, 'AUTHENTICATION_ERROR');
    return undefined;
  });
  addPayoutRoutes(server, context);
  addToolkitRoutes(server, context);
  addStatementRoutes(server, context);
  addDownloadRoute(server, context);
  return server;
}

/** JSON in and out; a body that cannot be read is INVALID_INPUT, what fails within is UNKNOWN_ERROR. */
export function bareServer(log: ServerLog, https: TlsKey | null): FastifyInstance {
  const options = { bodyLimit: MAX_BODY_BYTES, keepAliveTimeout: KEEP_ALIVE_MS };
  const server = (https === null ? fastify(options) : fastify({ ...options, https })) as FastifyInstance;
  // A POST without a body says that it has JSON all the same.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    if (text === '') return done(null, undefined);
    try {
      return done(null, JSON.parse(text) as unknown);
    } catch (error) {
      return done(Object.assign(new Error('no JSON', { cause: error }), { statusCode: 400 }));
    }
  });
  server.setNotFoundHandler((_request, reply) => refuse(reply, 404, 'NOT_FOUND'));
  server.setErrorHandler((error, _request, reply) => {
    const status = (error as { statusCode?: number }).statusCode ?? 500;
    if (status < 500) return refuse(reply, 400, 'INVALID_INPUT');
    log(error, 'a request failed');
    return sendUnknownError(reply);
  });
  return server;
}

/** Compares digests, so that neither length nor content shows in the time taken. */
export function tokenCheck(token: string): (header: string) => boolean {
  const expected = digest(`Bearer ${token}`);
  return (header) => timingSafeEqual(digest(header), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refuse(reply: FastifyReply, status: number, code: string): FastifyReply {
  return reply.code(status).send({ status: 'REJECTED', failureReason: failureReason(code) });
}
