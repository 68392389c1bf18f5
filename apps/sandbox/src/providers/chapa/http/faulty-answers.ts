import type { FastifyReply, FastifyRequest } from 'fastify';

import { cutMidway, sendHtml } from '../../simulation/plain-server.js';
import { hangUp, type WithheldAnswers } from '../../http/withheld-answers.js';
import type { AnswerFault } from '../behaviour/behaviour.js';
import { REFUSALS, type RefusalText } from '../behaviour/refusals.js';
import { UNKNOWN_REFERENCE } from './transfer-view.js';

export interface FaultyAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly reference: string;
  readonly withheld: WithheldAnswers;
}

/** Of a taken transfer [D]; `data` is the reference. */
export function queuedAnswer(reference: unknown, message = 'Transfer Queued Successfully'): Record<string, unknown> {
  return { message, status: 'success', data: reference };
}

/** Answers a call as the fault has it. */
export async function answerFaultily(how: AnswerFault['how'], answer: FaultyAnswer): Promise<unknown> {
  const { request, reply, reference, withheld } = answer;
  const honest = queuedAnswer(reference);
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
    case 'server_error':
      return sendServerError(reply);
    case 'too_many':
      return sendRefusal(reply, REFUSALS.too_many);
    case 'unauthorized':
      return sendRefusal(reply, REFUSALS.invalid_key);
    case 'used_before':
      return sendRefusal(reply, REFUSALS.reference_used);
    case 'truncated':
      return reply.type('application/json').send(JSON.stringify(honest).slice(0, -12));
    case 'empty':
      return reply.code(200).send();
    case 'strange_status':
      return { ...honest, status: 'UNHEARD_OF' };
    case 'failed_with_200':
      return { message: 'Something new', status: 'failed', data: null };
    case 'other_reference':
      return queuedAnswer(UNKNOWN_REFERENCE);
    case 'null_data':
      return queuedAnswer(null);
    case 'object_data':
      // So in a description of an official SDK [I].
      return queuedAnswer({ id: 123, reference, status: 'pending' });
    case 'test_mode':
      return queuedAnswer(reference, 'Transfer Queued Successfully in Test Mode');
  }
}

export function sendRefusal(reply: FastifyReply, { status, message }: RefusalText): FastifyReply {
  return reply.code(status).send({ message, status: 'failed', data: null });
}

/** As Laravel has it; Chapa publishes none [U]. */
export function sendServerError(reply: FastifyReply): FastifyReply {
  return reply.code(500).send({ message: 'Server Error' });
}
