import type { FastifyInstance } from 'fastify';

import { plainServer, type ServerLog, type TlsKey, tokenCheck } from '../../simulation/plain-server.js';
import { REFUSALS } from '../behaviour/refusals.js';
import type { Context } from './context.js';
import { sendRefusal, sendServerError } from './faulty-answers.js';
import { addToolkitRoutes } from './toolkit-routes.js';
import { addTransferRoutes } from './transfer-routes.js';

const NO_SUCH_PATH =
  'The Endpoint you are looking for is not found. Please refer to our documentation for more. developer.chapa.co';

/** Chapa's merchant API, as far as single transfers go. */
export function apiServer(context: Context, log: ServerLog, https: TlsKey | null): FastifyInstance {
  const server = bareServer(log, https);
  server.addHook('preClose', async () => context.withheld.end());
  const isOurs = tokenCheck(context.token);
  server.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    if (authorization === undefined) return sendRefusal(reply, REFUSALS.authorization_required);
    return isOurs(authorization) ? undefined : sendRefusal(reply, REFUSALS.invalid_key);
  });
  addTransferRoutes(server, context);
  addToolkitRoutes(server, context);
  return server;
}

export function bareServer(log: ServerLog, https: TlsKey | null): FastifyInstance {
  return plainServer(log, https, {
    notFound: (reply) => reply.code(404).send({ message: NO_SUCH_PATH, status: 'failed' }),
    badInput: (reply) => sendRefusal(reply, REFUSALS.required_attribute),
    failed: sendServerError,
  });
}
