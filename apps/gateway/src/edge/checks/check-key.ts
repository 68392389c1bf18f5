import { Inject, Injectable } from '@nestjs/common';
import { type Logger, uuidv7 } from '@vuka/runtime';
import { LOGGER } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { QueueFullError } from '../../calls/index.js';
import { type HttpProblem, KEYS_UNREADABLE, LIMIT_HEADERS, tellLimit, UNAUTHORIZED } from '../../http/index.js';
import { AuthenticateCaller } from '../../keys/index.js';
import { type Counted, RateLimits } from '../../limits/index.js';
import type { Operation } from '../../operations/index.js';

/**
 * Failures from an address never refuse a key that is known. A key that only the database can tell may be a guess:
 * it counts for its address before it waits for one of few places, and no more if it opens. Over the limit it is
 * refused without a lookup, unless it is among the keys that there are (`learn`).
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
    // A header sent twice is joined by a comma, which no key contains.
    const header = request.headers['x-api-key'];
    try {
      const counted = await this.countStranger(header, request.cameFrom);
      if (counted?.taken.allowed === false) return this.refused(request, reply, counted, 'not_looked_up');
      const caller = await this.authenticate.run(header);
      if (!caller.ok)
        return this.refused(
          request,
          reply,
          counted ?? (await this.limits.countFailedKey(request.cameFrom)),
          caller.error,
        );
      if (counted !== null) await this.limits.forgiveKey(request.cameFrom);
      request.caller = caller.value;
      return null;
    } catch (error) {
      if (error instanceof QueueFullError) request.refusedFor = 'key_queue_full';
      else this.log.error({ err: error, request_id: request.id }, 'an API key could not be looked up');
      // A status query for this code truthfully finds nothing.
      if (operation.money && operation.noTransaction !== true) void reply.header('transaction-code', uuidv7());
      return KEYS_UNREADABLE;
    }
  }

  /** null: known, in memory, or not limited. */
  private async countStranger(
    header: string | string[] | undefined,
    address: string | undefined,
  ): Promise<Counted | null> {
    if (!this.authenticate.isStranger(header)) return null;
    const counted = await this.limits.countFailedKey(address);
    if (counted === null || counted.taken.allowed) return counted;
    await this.authenticate.learn();
    return this.authenticate.isStranger(header) ? counted : null;
  }

  private refused(request: FastifyRequest, reply: FastifyReply, counted: Counted | null, reason: string): HttpProblem {
    request.caller = null;
    request.refusedFor = `key_${reason}`;
    // They were set while the key was valid.
    for (const name of LIMIT_HEADERS) void reply.removeHeader(name);
    return tellLimit(reply, counted) ?? UNAUTHORIZED;
  }
}
