import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callContextOf, sendAs, sendProblem } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { CALLBACK_OPERATIONS } from './callbacks.operations.js';
import { PassCallback } from './pass-callback.js';
import { requestOf } from './provider-door.js';

/** Providers wait for seconds; we answer within one. */
const BUDGET_MS = 700;

@Controller()
export class CallbacksController {
  constructor(private readonly passOn: PassCallback) {}

  @Answers(CALLBACK_OPERATIONS.providerCallback)
  post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take('POST', request, reply);
  }

  @Answers(CALLBACK_OPERATIONS.providerCallbackPut)
  put(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.take('PUT', request, reply);
  }

  private async take(method: 'POST' | 'PUT', request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { attempt: attemptToken = null } = request.params as Readonly<Record<string, string>>;
    const taken = await this.passOn.run(
      { ...requestOf(request, method), attemptToken },
      { address: request.cameFrom, context: callContextOf(request, BUDGET_MS) },
    );
    if (taken.ok) sendAs(reply, { status: 200, contentType: 'application/json', body: taken.value });
    else sendProblem(reply, taken.error);
  }
}
