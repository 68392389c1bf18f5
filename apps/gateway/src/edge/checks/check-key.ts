import { Inject, Injectable } from '@nestjs/common';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type HttpProblem, KEYS_UNREADABLE, LIMIT_HEADERS, tellLimit, UNAUTHORIZED } from '../../http/index.js';
import { AuthenticateCaller } from '../../keys/index.js';
import { RateLimits } from '../../limits/index.js';
import type { Operation } from '../../operations/index.js';

/**
 * The key is looked up before anything is counted: failures from an address must never refuse a valid key. So a bad
 * key over its limit still costs a lookup: in memory, or in one of few database slots (`AuthenticateCaller`).
 */
@Injectable()
export class CheckKey {
  constructor(
    private readonly authenticate: AuthenticateCaller,
    private readonly limits: RateLimits,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** 401; 429 for too many bad keys from an address; 503 if keys cannot be read. */
  async run(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<HttpProblem | null> {
    try {
      // A header sent twice is joined by a comma, which no key contains.
      request.caller = await this.authenticate.run(request.headers['x-api-key']);
      if (request.caller !== null) return null;
      // They were set while the key was valid.
      for (const header of LIMIT_HEADERS) void reply.removeHeader(header);
      return tellLimit(reply, await this.limits.countFailedKey(request.cameFrom)) ?? UNAUTHORIZED;
    } catch (error) {
      this.log.error({ err: error, request_id: request.id }, 'an API key could not be looked up');
      // A status query for this code truthfully finds nothing.
      if (operation.money && operation.noTransaction !== true) void reply.header('transaction-code', uuidv7());
      return KEYS_UNREADABLE;
    }
  }
}
