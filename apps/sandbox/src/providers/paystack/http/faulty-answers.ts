import type { FastifyReply, FastifyRequest } from 'fastify';

import { cutMidway, sendHtml } from '../../simulation/plain-server.js';
import { hangUp, type WithheldAnswers } from '../../http/withheld-answers.js';
import type { AnswerFault, RecordFault } from '../behaviour/behaviour.js';
import { duplicate404, REFUSALS } from '../behaviour/refusals.js';
import { refuse, refuseBusy } from './answers.js';
import { OTHER_REFERENCE } from './views.js';

export interface FaultyAnswer {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly reference: string;
  /** What an honest answer would be; null where the transfer was not taken. */
  readonly honest: { readonly status: true; readonly data: object } | null;
  readonly withheld: WithheldAnswers;
}

/** Answers a call that pays as the fault has it. */
export async function answerFaultily(how: AnswerFault['how'], answer: FaultyAnswer): Promise<unknown> {
  const { request, reply, reference, honest, withheld } = answer;
  const data = honest?.data ?? {};
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
      return refuse(reply, REFUSALS.server_error);
    case 'too_many':
      return refuseBusy(reply);
    case 'wrong_key':
      return refuse(reply, REFUSALS.wrong_key);
    case 'truncated':
      return reply.type('application/json').send(JSON.stringify(honest).slice(0, -12));
    case 'empty':
      return reply.code(200).send();
    case 'strange_status':
      return { ...honest, data: { ...data, status: 'unheard_of' } };
    case 'says_success':
      return { ...honest, data: { ...data, status: 'success' } };
    case 'other_reference':
      return { ...honest, data: { ...data, reference: OTHER_REFERENCE } };
    case 'status_false':
      return { ...honest, status: false };
    case 'duplicate':
      return refuse(reply, REFUSALS.duplicate);
    case 'duplicate_404':
      return refuse(reply, duplicate404(reference));
  }
}

/** Answers a status call so. */
export function answerRecordFaultily(
  how: NonNullable<RecordFault['answers']>['how'],
  reply: FastifyReply,
): FastifyReply {
  if (how === 'html') return sendHtml(reply, 200);
  return refuse(reply, REFUSALS[how]);
}
