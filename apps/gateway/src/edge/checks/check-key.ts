import { Inject, Injectable } from '@nestjs/common';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { type HttpProblem, KEYS_UNREADABLE, LIMIT_HEADERS, tellLimit, UNAUTHORIZED } from '../../http/index.js';
import { AuthenticateCaller } from '../../keys/index.js';
import { RateLimits } from '../../limits/index.js';
import type { Operation } from '../../operations/index.js';

/**
 * Who calls. A key is looked up before anything is counted, because what fails from an address must never refuse a key that opens.
 * So a bad key over its limit still costs a look: into memory where it was asked before, and else into the database, where such
 * looks have few places (`AuthenticateCaller`).
 */
@Injectable()
export class CheckKey {
  constructor(
    private readonly authenticate: AuthenticateCaller,
    private readonly limits: RateLimits,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** 401, or 429 where an address has shown too many that do not open; 503 where keys cannot be read. */
  async run(request: FastifyRequest, reply: FastifyReply, operation: Operation): Promise<HttpProblem | null> {
    try {
      // One that is sent twice comes joined by a comma, which no key has.
      request.caller = await this.authenticate.run(request.headers['x-api-key']);
      if (request.caller !== null) return null;
      // What was told while the key still opened was its partner's.
      for (const header of LIMIT_HEADERS) void reply.removeHeader(header);
      return tellLimit(reply, await this.limits.countFailedKey(request.cameFrom)) ?? UNAUTHORIZED;
    } catch (error) {
      this.log.error({ err: error, request_id: request.id }, 'an API key could not be looked up');
      // Nothing was asked of payments under this code, and that is what asking for it will tell.
      if (operation.money && operation.noTransaction !== true) void reply.header('transaction-code', uuidv7());
      return KEYS_UNREADABLE;
    }
  }
}
