import { Inject, Injectable } from '@nestjs/common';
import { AddressRanges, type Settings } from '@vuka/config';
import { SETTINGS } from '@vuka/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';

import {
  clientAddress,
  type HttpProblem,
  NOT_OFFERED_YET,
  SENT_TWICE,
  timesSent,
  UNKNOWN_OPERATION,
} from '../http/index.js';
import { OperationTable } from '../operations/index.js';
import { turnAway } from './expect-continue.js';

@Injectable()
export class ReceiveRequest {
  private readonly trustedProxies: AddressRanges | null;
  private readonly sandbox: boolean;

  constructor(
    private readonly table: OperationTable,
    @Inject(SETTINGS) { trustedProxies, env }: Pick<Settings, 'trustedProxies' | 'env'>,
  ) {
    this.trustedProxies = trustedProxies.length === 0 ? null : AddressRanges.of(trustedProxies);
    this.sandbox = env === 'sandbox';
  }

  run(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
    // Fastify would refuse an odd type even without a body.
    request.sentContentType = request.headers['content-type'] ?? '';
    request.raw.headers['content-type'] = undefined;
    const { remoteAddress } = request.socket;
    request.cameFrom = clientAddress(remoteAddress, request.headers['x-forwarded-for'], this.trustedProxies);
    const refusal = this.refusalOf(request, reply);
    if (refusal === null) done();
    else turnAway(request, reply, refusal);
  }

  private refusalOf(request: FastifyRequest, reply: FastifyReply): HttpProblem | null {
    // Node keeps only the first, but a proxy may have read another (RFC 9112 section 3.2).
    if (timesSent('host', request.raw.rawHeaders) > 1) return SENT_TWICE.host;
    const { operation } = request.routeOptions.config;
    if (request.is404 || operation === undefined || (operation.sandboxOnly === true && !this.sandbox))
      return this.routingProblem(request, reply);
    request.operation = operation;
    return null;
  }

  private routingProblem(request: FastifyRequest, reply: FastifyReply): HttpProblem {
    if (this.table.isNotOffered(request.url)) return NOT_OFFERED_YET;
    const allowed = this.table.allowedMethods(request.url, this.sandbox).join(', ');
    if (allowed === '') return UNKNOWN_OPERATION;
    void reply.header('allow', allowed);
    return { code: 'invalid_request', status: 405, message: `This operation takes the method ${allowed}` };
  }
}
