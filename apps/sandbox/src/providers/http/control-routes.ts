import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { ControlAnswer, PayoutBook } from '../book/payout-book.js';
import { isBroken, parseTopUp, PAYOUT_ID_PATTERN } from './payout-request.js';
import { refuse } from './refusals.js';

/** A real provider has no such routes. `done: false`: nothing to do. */
export function addControlRoutes(server: FastifyInstance, book: PayoutBook): void {
  const actions: Readonly<Record<string, (id: string) => ControlAnswer>> = {
    release: (id) => book.release(id),
    pay: (id) => book.payNow(id),
    reverse: (id) => book.reverseLast(id),
  };
  server.post('/v1/control/payouts/:id/:action', async (request, reply) => {
    const { id, action } = request.params as { id: string; action: string };
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (act === undefined) return refuse(reply, 'NOT_FOUND', 'no such resource');
    return answer(book, PAYOUT_ID_PATTERN.test(id) ? act(id) : { kind: 'not_found' }, reply);
  });
  server.post('/v1/control/top-ups', (request, reply) => topUp(book, request, reply));
}

async function topUp(book: PayoutBook, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const parsed = parseTopUp(request.body);
  if (isBroken(parsed)) return refuse(reply, 'INVALID_REQUEST', `${parsed.field} must be ${parsed.rule}`);
  return answer(book, book.topUp(parsed), reply);
}

async function answer(book: PayoutBook, done: ControlAnswer, reply: FastifyReply): Promise<unknown> {
  switch (done.kind) {
    case 'done':
      await book.safe(done.line);
      return { done: true };
    case 'nothing':
      // An earlier change may not be on disk yet.
      await book.safe(book.lastLine);
      return { done: false };
    case 'not_found':
      return refuse(reply, 'PAYOUT_NOT_FOUND', 'no payout has this id');
    case 'busy':
      return refuse(reply, 'BUSY', 'too much at once');
  }
}
