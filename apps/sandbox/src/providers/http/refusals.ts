import type { FastifyReply } from 'fastify';

/** docs/engineers/sandbox-providers.md. Only a 5xx leaves the result open. */
const REFUSALS = {
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_FLOAT: 402,
  BOOK_FULL: 403,
  NOT_FOUND: 404,
  PAYOUT_NOT_FOUND: 404,
  ID_REUSED: 409,
  BUSY: 429,
  STORE_FAILED: 503,
} as const;
type RefusalCode = keyof typeof REFUSALS;

export function refuse(reply: FastifyReply, code: RefusalCode, message: string): FastifyReply {
  return reply.code(REFUSALS[code]).send({ code, message });
}
