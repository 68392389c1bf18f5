import { Injectable } from '@nestjs/common';
import type { FastifyInstance, onRequestHookHandler, preHandlerHookHandler } from 'fastify';

import { answerConnect, Draining } from '../http/index.js';
import { checkAddress } from './checks/check-address.js';
import { CheckCurrency } from './checks/check-currency.js';
import { CheckKey } from './checks/check-key.js';
import { CheckLimits } from './checks/check-limits.js';
import { checkScope } from './checks/check-scope.js';
import { checkSuspension } from './checks/check-suspension.js';
import { NoteKeyUse } from './checks/note-key-use.js';
import { holdBodiesBack, letIn, turnAway } from './expect-continue.js';
import type { OperationCheck } from './operation-check.js';
import { addBodyParser } from './read-body.js';
import { ReceiveRequest } from './receive-request.js';

/**
 * Order (docs/architecture.md): unknown path 404, wrong method 405, the checks as listed here, then the body. So a
 * refusal costs no body.
 *
 * Key and permissions are checked again after the body: a sender may hold it back until its key is revoked or
 * limited, or the partner suspended.
 */
@Injectable()
export class Edge {
  private readonly beforeBody: readonly OperationCheck[];
  private readonly behindBody: readonly OperationCheck[];

  constructor(
    private readonly receive: ReceiveRequest,
    private readonly draining: Draining,
    key: CheckKey,
    use: NoteKeyUse,
    limits: CheckLimits,
    currency: CheckCurrency,
  ) {
    // Usually from memory, and not counted again.
    this.behindBody = [(...asked) => key.run(...asked), checkScope, checkAddress, checkSuspension];
    this.beforeBody = [
      ...this.behindBody,
      (request) => use.run(request),
      (...asked) => limits.run(...asked),
      (...asked) => currency.run(...asked),
    ];
  }

  /** Must run before routes are added. */
  attach(instance: FastifyInstance): void {
    instance.decorate('draining', this.draining);
    instance.decorateRequest('operation', null);
    instance.decorateRequest('caller', null);
    instance.decorateRequest('refusedFor', null);
    instance.decorateRequest('cameFrom', undefined);
    instance.decorateRequest('pathCurrency', null);
    instance.decorateRequest('sentContentType', '');
    instance.server.on('connect', answerConnect);
    holdBodiesBack(instance);
    instance.addHook('onRequest', (request, reply, done) => this.receive.run(request, reply, done));
    for (const check of this.beforeBody) instance.addHook('onRequest', hookOf(check));
    instance.addHook('onRequest', letIn);
    addBodyParser(instance);
    for (const check of this.behindBody) instance.addHook('preHandler', hookOf(check));
  }
}

/** Skips operations without a key. What a check throws goes to the error filter. */
function hookOf(check: OperationCheck): onRequestHookHandler & preHandlerHookHandler {
  return (request, reply, done) => {
    const { operation } = request;
    if (operation === null || operation.key === null) {
      done();
      return;
    }
    const found = check(request, reply, operation);
    if (found === null) done();
    else if ('then' in found)
      found.then((problem) => (problem === null ? done() : turnAway(request, reply, problem)), done);
    else turnAway(request, reply, found);
  };
}
