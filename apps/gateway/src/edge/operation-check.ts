import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpProblem } from '../http/index.js';
import type { Operation } from '../operations/index.js';

/** null: not refused. A check may store what it found on the request. */
export type OperationCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
) => HttpProblem | null | Promise<HttpProblem | null>;
