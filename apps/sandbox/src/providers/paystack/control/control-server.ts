import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isObject, type ServerLog, tokenCheck } from '../../simulation/plain-server.js';
import { bareServer } from '../http/api-server.js';
import { type Action, ACTIONS, type Control } from './control.js';

/** The control over HTTP, on a port of its own, for tests of other processes. */
export function controlServer(control: Control, credential: string, log: ServerLog): FastifyInstance {
  const server = bareServer(log, null);
  const isOurs = tokenCheck(credential);
  server.addHook('onRequest', async (request, reply) => {
    const { authorization } = request.headers;
    return authorization === undefined || !isOurs(authorization) ? reply.code(401).send({}) : undefined;
  });
  server.get('/book', async () => control.book());
  server.get('/book/:name', async (request) => {
    const { name } = params(request);
    return {
      payments: control.payments(name).map(({ receipt, reversed }) => ({ receipt, reversed })),
      submits: control.submits(name),
    };
  });
  server.get('/numbers', async () => control.numbers());
  server.get('/webhooks', async () => ({ deliveries: control.deliveries() }));
  server.post('/clock', async (request, reply) => {
    const { advanceMs } = bodyOf(request);
    if (typeof advanceMs !== 'number' || !Number.isSafeInteger(advanceMs) || advanceMs < 0) return broken(reply);
    await control.moveClock(advanceMs);
    return { done: true };
  });
  server.post('/settle', async () => control.settleAll().then(() => ({ done: true })));
  addSteering(server, control);
  return server;
}

function addSteering(server: FastifyInstance, control: Control): void {
  server.post('/transfers/:name/:action', async (request, reply) => {
    const { name, action } = params(request);
    if (!ACTIONS.includes(action as Action)) return broken(reply);
    return { done: await control.steer(name, action as Action) };
  });
  server.post('/balances/:name/top-up', async (request, reply) => {
    const { minor } = bodyOf(request);
    if (typeof minor !== 'string' || !/^-?\d{1,18}$/.test(minor)) return broken(reply);
    return { done: await control.topUp(params(request).name, BigInt(minor)) };
  });
  server.delete('/recipients/:name', async (request) => ({
    done: await control.deleteRecipient(params(request).name),
  }));
  server.post('/webhook-url', async (request, reply) => {
    const url = urlOf(request);
    if (url === undefined) return broken(reply);
    control.setWebhookUrl(url);
    return { done: true };
  });
  server.post('/approval-url', async (request, reply) => {
    const url = urlOf(request);
    if (url === undefined) return broken(reply);
    control.setApprovalUrl(url);
    return { done: true };
  });
}

/** Undefined: it is neither a URL nor null. */
function urlOf(request: FastifyRequest): string | null | undefined {
  const { url } = bodyOf(request);
  return url === null || (typeof url === 'string' && URL.canParse(url)) ? url : undefined;
}

function params(request: FastifyRequest): { name: string; action: string } {
  return request.params as { name: string; action: string };
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  return isObject(request.body) ? request.body : {};
}

function broken(reply: FastifyReply): FastifyReply {
  return reply.code(400).send({ done: false });
}
