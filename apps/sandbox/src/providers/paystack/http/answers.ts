import type { FastifyReply } from 'fastify';

import { type Refusal, REFUSALS } from '../behaviour/refusals.js';

const NEXT_STEP = "Ensure that the value(s) you're passing are valid.";

/** The envelope of every answer [D]. */
export function success(message: string, data: unknown, meta?: object): object {
  return { status: true, message, data, ...(meta !== undefined && { meta }) };
}

export function refusalBody({ message, type, code, nextStep = NEXT_STEP }: Refusal): object {
  return { status: false, message, ...(type !== undefined && { meta: { nextStep }, type, code }) };
}

export function refuse(reply: FastifyReply, refusal: Refusal): FastifyReply {
  const sent = refusal.http === 429 ? reply.header('retry-after', '60') : reply;
  return sent.code(refusal.http).send(refusalBody(refusal));
}

export const refuseBusy = (reply: FastifyReply): FastifyReply => refuse(reply, REFUSALS.too_many);
