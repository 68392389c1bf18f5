import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { callContextOf, sendAs, sendProblem } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { CALLBACK_OPERATIONS } from './callbacks.operations.js';
import { PassApproval } from './pass-approval.js';
import { requestOf } from './provider-door.js';

/** Payments has decided before, or has refused. */
const BUDGET_MS = 2_500;

@Controller()
export class ApprovalsController {
  constructor(private readonly passOn: PassApproval) {}

  @Answers(CALLBACK_OPERATIONS.providerApproval)
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await this.passOn.run(requestOf(request, 'POST'), {
      address: request.cameFrom,
      context: callContextOf(request, BUDGET_MS),
    });
    if (!answer.ok) return void sendProblem(reply, answer.error);
    const { status, content_type, body } = answer.value;
    sendAs(reply, { status, contentType: content_type, body });
  }
}
