import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callerOf, type HttpProblem, tellLimit } from '../../http/index.js';
import { RateLimits } from '../../limits/index.js';
import type { Operation } from '../../operations/index.js';

/** 429. Every request with a key of the right kind counts. Refused before the body is read. */
@Injectable()
export class CheckLimits {
  constructor(private readonly limits: RateLimits) {}

  async run(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<HttpProblem | null> {
    return tellLimit(reply, await this.limits.countRequest(callerOf(request).partnerId, operation));
  }
}
