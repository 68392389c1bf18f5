import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { FindTransaction, type LookupField } from './find-transaction.js';
import { ListTransactions } from './list-transactions.js';
import { bodyOf, callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { TRANSACTION_OPERATIONS } from './transactions.operations.js';

@Controller()
export class TransactionsController {
  constructor(
    private readonly findTransaction: FindTransaction,
    private readonly listTransactions: ListTransactions,
  ) {}

  @Answers(TRANSACTION_OPERATIONS.status)
  status(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.find(request, reply, ['transaction_code']);
  }

  @Answers(TRANSACTION_OPERATIONS.accountTransaction)
  transaction(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.find(request, reply, ['transaction_code', 'reference', 'transaction_hash']);
  }

  @Answers(TRANSACTION_OPERATIONS.transactions)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.listTransactions.run({
      caller: callerOf(request),
      currency: request.pathCurrency,
      body: bodyOf(request),
      context: callContextOf(request),
    });
    if (page.ok)
      sendSuccess(reply, { message: 'The transactions', data: page.value.rows, nextCursor: page.value.nextCursor });
    else sendProblem(reply, page.error);
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
