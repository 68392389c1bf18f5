import type { FastifyInstance } from 'fastify';

import { plainServer, type ServerLog, type TlsKey, tokenCheck } from '../../simulation/plain-server.js';
import { REFUSALS } from '../behaviour/refusals.js';
import { refuse } from './answers.js';
import { addBankRoutes } from './bank-routes.js';
import type { Context } from './context.js';
import { addRecipientRoutes } from './recipient-routes.js';
import { addTransferRoutes } from './transfer-routes.js';

/** Paystack's API, as far as transfers go. */
export function apiServer(context: Context, log: ServerLog, https: TlsKey | null): FastifyInstance {
  const server = bareServer(log, https);
  server.addHook('preClose', async () => context.withheld.end());
  const isOurs = tokenCheck(context.secret);
  server.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) return refuse(reply, REFUSALS.no_header);
    if (!/^Bearer \S+$/.test(authorization)) return refuse(reply, REFUSALS.wrong_format);
    return isOurs(authorization) ? undefined : refuse(reply, REFUSALS.wrong_key);
  });
  addBankRoutes(server, context);
  addRecipientRoutes(server, context);
  addTransferRoutes(server, context);
  return server;
}

export function bareServer(log: ServerLog, https: TlsKey | null): FastifyInstance {
  return plainServer(log, https, {
    notFound: (reply) => refuse(reply, REFUSALS.no_route),
    badInput: (reply) => refuse(reply, REFUSALS.invalid_params),
    failed: (reply) => refuse(reply, REFUSALS.server_error),
  });
}
