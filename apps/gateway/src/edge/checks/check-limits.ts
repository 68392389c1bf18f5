import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callerOf, type HttpProblem, tellLimit } from '../../http/index.js';
import { RateLimits } from '../../limits/index.js';
import type { Operation } from '../../operations/index.js';

/** 429. A partner's limit counts whatever a key of the right kind asks, sensible or not; one request too many costs no body. */
@Injectable()
export class CheckLimits {
  constructor(private readonly limits: RateLimits) {}

  async run(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<HttpProblem | null> {
    return tellLimit(reply, await this.limits.countRequest(callerOf(request).partnerId, operation));
  }
}
