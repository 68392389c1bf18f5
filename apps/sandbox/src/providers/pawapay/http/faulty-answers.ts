import type { FastifyReply, FastifyRequest } from 'fastify';

import { cutMidway, sendHtml } from '../../simulation/plain-server.js';
import { hangUp, type WithheldAnswers } from '../../http/withheld-answers.js';
import type { AnswerFault } from '../behaviour/behaviour.js';
import { failureReason } from '../behaviour/failure-codes.js';

const OTHER_ID = '00000000-0000-4000-8000-000000000001';

export interface FaultyAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** What an honest answer would be; null where the payout was not taken. */
  readonly honest: object | null;
  readonly payoutId: string;
  readonly withheld: WithheldAnswers;
}

/** Answers a call as the fault has it. */
export async function answerFaultily(how: AnswerFault['how'], answer: FaultyAnswer): Promise<unknown> {
  const { request, reply, payoutId, withheld } = answer;
  const honest = { payoutId, ...answer.honest };
  switch (how) {
    case 'cut':
      return hangUp(request, reply);
    case 'cut_midway':
      return cutMidway(request, reply, JSON.stringify(honest));
    case 'hold':
      return (await withheld.hold(request.raw.socket)) ? honest : hangUp(request, reply);
    case 'html':
      return sendHtml(reply, 200);
    case 'gateway_html':
      return sendHtml(reply, 502);
    case 'unknown_error':
      return sendUnknownError(reply);
    case 'too_many':
      return sendTooMany(reply);
    case 'no_authentication':
      return reply.code(401).send({ status: 'REJECTED', failureReason: failureReason('NO_AUTHENTICATION') });
    case 'truncated':
      return reply.type('application/json').send(JSON.stringify(honest).slice(0, -12));
    case 'empty':
      return reply.code(200).send();
    case 'strange_status':
      return { ...honest, status: 'UNHEARD_OF' };
    case 'other_id':
      return { ...honest, payoutId: OTHER_ID };
    case 'duplicate':
      return { ...honest, status: 'DUPLICATE_IGNORED' };
    case 'enqueued':
      return { ...honest, status: 'ENQUEUED' };
  }
}

export function sendUnknownError(reply: FastifyReply): FastifyReply {
  return reply.code(500).send({ failureReason: failureReason('UNKNOWN_ERROR') });
}

/** pawaPay publishes no limit of calls and no body for it [U]. */
export function sendTooMany(reply: FastifyReply): FastifyReply {
  return reply.code(429).header('retry-after', '1').type('text/plain').send('Too Many Requests');
}
