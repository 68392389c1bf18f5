import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { RequestRefund } from './request-refund.js';
import {
  bodyOf,
  callContextOf,
  callerOf,
  idempotencyKeyOf,
  sendProblem,
  sendSuccess,
  statusOf,
} from '../http/index.js';
import { Answers } from '../operations/index.js';
import { REFUND_OPERATIONS } from './refunds.operations.js';

@Controller()
export class RefundsController {
  constructor(private readonly requestRefund: RequestRefund) {}

  @Answers(REFUND_OPERATIONS.refund)
  async refund(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { result, replayed } = await this.requestRefund.run({
      caller: callerOf(request),
      body: bodyOf(request),
      idempotencyKey: idempotencyKeyOf(request),
      context: callContextOf(request),
    });
    if (replayed) void reply.header('idempotent-replayed', 'true');
    if (result.ok) {
      sendSuccess(reply, { message: 'The refund', data: result.value });
      return;
    }
    const { transactionCode } = result.error;
    // The payment that has the deposit.
    if (transactionCode !== undefined && statusOf(result.error) === 409)
      void reply.header('transaction-code', transactionCode);
    sendProblem(reply, result.error);
  }
}
