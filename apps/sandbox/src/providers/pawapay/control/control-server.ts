import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject, type ServerLog, tokenCheck } from '../../simulation/plain-server.js';
import { hundredths, isAmount } from '../data/amount.js';
import { bareServer } from '../http/api-server.js';
import type { ProviderStatus } from '../http/context.js';
import { type Action, ACTIONS, type Control } from './control.js';

const STATUSES: readonly string[] = ['OPERATIONAL', 'DELAYED', 'CLOSED'] satisfies ProviderStatus[];

/** The control over HTTP, on a port of its own, for tests of other processes. */
export function controlServer(control: Control, credential: string, log: ServerLog): FastifyInstance {
  const server = bareServer(log, null);
  const isOurs = tokenCheck(credential);
  server.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    return authorization === undefined || !isOurs(authorization) ? reply.code(401).send({}) : undefined;
  });
  server.get('/book', async () => control.book());
  server.get('/book/:id', async (request) => {
    const { id } = params(request);
    return {
      payments: control.payments(id).map(({ receipt, reversed }) => ({ receipt, reversed })),
      submits: control.submits(id),
    };
  });
  server.get('/numbers', async () => control.numbers());
  server.get('/callbacks', async () => ({ deliveries: control.deliveries() }));
  server.post('/clock', async (request, reply) => {
    const { advanceMs } = bodyOf(request);
    if (typeof advanceMs !== 'number' || !Number.isSafeInteger(advanceMs) || advanceMs < 0) return broken(reply);
    await control.moveClock(advanceMs);
    return { done: true };
  });
  server.post('/settle', async () => control.settleAll().then(() => ({ done: true })));
  server.post('/keys/rotate', async () => control.rotateKeys().then(() => ({ done: true })));
  addSteering(server, control);
  return server;
}

function addSteering(server: FastifyInstance, control: Control): void {
  server.post('/payouts/:id/:action', async (request, reply) => {
    const { id, action } = params(request);
    if (!ACTIONS.includes(action as Action)) return broken(reply);
    return { done: await control.steer(id, action as Action) };
  });
  server.post('/wallets/top-up', async (request, reply) => {
    const { country, currency, provider = '', amount } = bodyOf(request);
    const unsigned = typeof amount === 'string' ? amount.replace(/^-/, '') : '';
    if (!isAmount(unsigned) || [country, currency, provider].some((text) => typeof text !== 'string'))
      return broken(reply);
    const sum = hundredths(unsigned) * (unsigned === amount ? 1n : -1n);
    const wallet = { country, currency, provider } as { country: string; currency: string; provider: string };
    return { done: await control.topUp(wallet, sum) };
  });
  server.post('/providers/:id', async (request, reply) => {
    const { status } = bodyOf(request);
    if (typeof status !== 'string' || !STATUSES.includes(status)) return broken(reply);
    return { done: await control.setProviderStatus(params(request).id, status as ProviderStatus) };
  });
  server.post('/callback-url', async (request, reply) => {
    const { url } = bodyOf(request);
    if (url !== null && (typeof url !== 'string' || !URL.canParse(url))) return broken(reply);
    control.setCallbackUrl(url);
    return { done: true };
  });
}

function params(request: FastifyRequest): { id: string; action: string } {
  return request.params as { id: string; action: string };
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  return isObject(request.body) ? request.body : {};
}

function broken(reply: FastifyReply): FastifyReply {
  return reply.code(400).send({ done: false });
}
