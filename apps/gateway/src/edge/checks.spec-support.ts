import type { FastifyReply, FastifyRequest } from 'fastify';

import type { HttpProblem } from '../http/index.js';
import type { Caller } from '../keys/authenticate-caller.js';
import type { Operation } from '../operations/operation.js';
import { checkAddress } from './checks/check-address.js';
import { checkScope } from './checks/check-scope.js';
import { checkSuspension } from './checks/check-suspension.js';

/** What a key that opens is refused for, by the checks in their order; null: it may. */
export function refusalOf(caller: Caller, operation: Operation, address: string | undefined): HttpProblem | null {
  const request = { caller, cameFrom: address } as FastifyRequest;
  for (const check of [checkScope, checkAddress, checkSuspension]) {
    const problem = check(request, {} as FastifyReply, operation) as HttpProblem | null;
    if (problem !== null) return problem;
  }
  return null;
}
