import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { isBroken, parseLookup } from './payout-request.js';
import { numberOf } from '../book/recipient.js';
import { refuse } from './refusals.js';
import { lookupBehaviourOf, recipientName } from '../book/sandbox-numbers.js';
import { hangUp, type WithheldAnswers } from './withheld-answers.js';

/** Keeps neither question nor answer. */
export function addLookupRoute(server: FastifyInstance, withheld: WithheldAnswers): void {
  server.post('/v1/lookups', (request, reply) => lookUp(withheld, request, reply));
}

async function lookUp(withheld: WithheldAnswers, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const parsed = parseLookup(request.body);
  if (isBroken(parsed)) return refuse(reply, 'INVALID_REQUEST', `${parsed.field} must be ${parsed.rule}`);
  const number = numberOf(parsed.recipient);
  const { status, withholdsAnswer } = lookupBehaviourOf(number);
  if (withholdsAnswer === true && !(await withheld.hold(request.raw.socket))) return hangUp(request, reply);
  return { status, ...(status === 'FOUND' && { name: recipientName(number) }) };
}
