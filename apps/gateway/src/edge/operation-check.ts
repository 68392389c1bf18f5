import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpProblem } from '../http/index.js';
import type { Operation } from '../operations/index.js';

/** One reason to refuse what takes a key; null: none. It may note on the request what it found out. */
export type OperationCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
) => HttpProblem | null | Promise<HttpProblem | null>;
