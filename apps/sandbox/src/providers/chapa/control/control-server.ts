import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { hundredths, isAmount } from '../data/amount.js';
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
  server.get('/book/:reference', async (request) => {
    const { reference } = params(request);
    const payments = control
      .payments(reference)
      .map(({ receipt, amount, reversed }) => ({ receipt, amount, reversed }));
    return { payments, submits: control.submits(reference) };
  });
  server.get('/numbers', async () => control.numbers());
  server.get('/webhooks', async () => ({ deliveries: control.webhooks() }));
  server.get('/questions', async () => ({ deliveries: control.questions() }));
  addSteering(server, control);
  return server;
}

function addSteering(server: FastifyInstance, control: Control): void {
  server.post('/clock', async (request, reply) => {
    const { advanceMs } = bodyOf(request);
    if (typeof advanceMs !== 'number' || !Number.isSafeInteger(advanceMs) || advanceMs < 0) return broken(reply);
    await control.moveClock(advanceMs);
    return { done: true };
  });
  server.post('/settle', async () => control.settleAll().then(() => ({ done: true })));
  server.post('/transfers/:reference/:action', async (request, reply) => {
    const { reference, action } = params(request);
    if (!ACTIONS.includes(action as Action)) return broken(reply);
    return { done: await control.steer(reference, action as Action) };
  });
  server.post('/top-up', async (request, reply) => {
    const { amount } = bodyOf(request);
    const unsigned = typeof amount === 'string' ? amount.replace(/^-/, '') : '';
    if (!isAmount(unsigned)) return broken(reply);
    await control.topUp(hundredths(unsigned) * (unsigned === amount ? 1n : -1n));
    return { done: true };
  });
  const urls = { '/webhook-url': 'setWebhookUrl', '/approval-url': 'setApprovalUrl' } as const;
  for (const [path, set] of Object.entries(urls) as [string, (typeof urls)[keyof typeof urls]][])
    server.post(path, async (request, reply) => {
      const { url } = bodyOf(request);
      if (url !== null && (typeof url !== 'string' || !URL.canParse(url))) return broken(reply);
      control[set](url);
      return { done: true };
    });
}

function params(request: FastifyRequest): { reference: string; action: string } {
  return request.params as { reference: string; action: string };
}

function bodyOf(request: FastifyRequest): Record<string, unknown> {
  return isObject(request.body) ? request.body : {};
}

function broken(reply: FastifyReply): FastifyReply {
  return reply.code(400).send({ done: false });
}
