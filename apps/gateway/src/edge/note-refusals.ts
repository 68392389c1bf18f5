import { Inject, Injectable } from '@nestjs/common';
import { type Logger, Metrics, type MonotonicClock, RefusalLog } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { parseApiKey } from '../keys/index.js';

/** Of what was asked wrongly the sender is told alone. */
const TOLD: ReadonlySet<number> = new Set([401, 403, 429]);

/** Whoever refused: edge, handler or another service. */
@Injectable()
export class NoteRefusals {
  private readonly refusals: RefusalLog;

  constructor(@Inject(LOGGER) log: Logger, metrics: Metrics, @Inject(CLOCK) clock: MonotonicClock) {
    const counter = metrics.counter('vuka_refusals_total', 'Refused requests, by reason', ['reason']);
    this.refusals = new RefusalLog(log, counter, clock);
  }

  attach(instance: FastifyInstance): void {
    instance.addHook('onResponse', (request, reply, done) => {
      if (TOLD.has(reply.statusCode) || request.refusedFor !== null) this.note(request, reply);
      done();
    });
    instance.addHook('onClose', (_instance, done) => {
      this.refusals.flush();
      done();
    });
  }

  private note(request: FastifyRequest, reply: FastifyReply): void {
    const { caller, cameFrom, refusedFor, headers } = request;
    const code = String(reply.getHeader('error-code') ?? reply.statusCode);
    const key = headers['x-api-key'];
    this.refusals.note({
      what: `${request.method} ${request.routeOptions.url ?? ''}`,
      // Over the limit of its address a bad key is told less than why it is bad.
      reason: refusedFor ?? code,
      address: cameFrom,
      keyPrefix: caller?.visiblePrefix ?? (typeof key === 'string' ? parseApiKey(key)?.visiblePrefix : undefined),
      requestId: request.id,
    });
  }
}
