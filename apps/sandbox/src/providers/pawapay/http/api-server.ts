import type { FastifyInstance, FastifyReply } from 'fastify';

import { plainServer, type ServerLog, type TlsKey, tokenCheck } from '../../simulation/plain-server.js';
import { failureReason, SUBMIT_CODES } from '../behaviour/failure-codes.js';
import { addDownloadRoute, addStatementRoutes } from '../statements/statement-routes.js';
import type { Context } from './context.js';
import { sendUnknownError } from './faulty-answers.js';
import { addPayoutRoutes } from './payout-routes.js';
import { addToolkitRoutes } from './toolkit-routes.js';

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

/** A body that cannot be read is INVALID_INPUT, what fails within is UNKNOWN_ERROR. */
export function bareServer(log: ServerLog, https: TlsKey | null): FastifyInstance {
  return plainServer(log, https, {
    notFound: (reply) => refuse(reply, 404, 'NOT_FOUND'),
    badInput: (reply) => refuse(reply, 400, 'INVALID_INPUT'),
    failed: sendUnknownError,
  });
}

function refuse(reply: FastifyReply, status: number, code: string): FastifyReply {
  return reply.code(status).send({ status: 'REJECTED', failureReason: failureReason(code) });
}
