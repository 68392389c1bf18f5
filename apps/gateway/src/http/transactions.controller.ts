import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { FindTransaction, type LookupField } from '../find-transaction.js';
import { sendProblem, sendSuccess } from './answer.js';
import { Answers } from './operations.js';
import { callContextOf } from './request-id.js';
import { bodyOf, callerOf } from './request-parts.js';

@Controller()
export class TransactionsController {
  constructor(@Inject(FindTransaction) private readonly findTransaction: FindTransaction) {}

  @Answers('status')
  status(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.find(request, reply, ['transaction_code']);
  }

  @Answers('accountTransaction')
  transaction(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.find(request, reply, ['transaction_code', 'reference', 'transaction_hash']);
  }

  private async find(request: FastifyRequest, reply: FastifyReply, by: readonly LookupField[]): Promise<void> {
    const found = await this.findTransaction.run({
      caller: callerOf(request),
      currency: request.pathCurrency,
      body: bodyOf(request),
      by,
      context: callContextOf(request),
    });
    if (found.ok) sendSuccess(reply, { message: 'The transaction', data: found.value });
    else sendProblem(reply, found.error);
  }
}
