import { Controller, Req, Res } from '@nestjs/common';
import type { PayoutOperation } from '@vuka/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AcceptPayout } from './accept-payout.js';
import type { MoneyOutcome } from '../idempotency/index.js';
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
import { PAYOUT_OPERATIONS } from './payouts.operations.js';

@Controller()
export class PayoutsController {
  constructor(private readonly acceptPayout: AcceptPayout) {}

  @Answers(PAYOUT_OPERATIONS.bankTransfer)
  bankTransfer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.accept('bank_transfer', request, reply);
  }

  @Answers(PAYOUT_OPERATIONS.disburse)
  disburse(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.accept('disburse', request, reply);
  }

  @Answers(PAYOUT_OPERATIONS.pay)
  pay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.accept('pay', request, reply);
  }

  private async accept(operation: PayoutOperation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const outcome = await this.acceptPayout.run({
      operation,
      caller: callerOf(request),
      currency: request.pathCurrency,
      body: bodyOf(request),
      idempotencyKey: idempotencyKeyOf(request),
      context: callContextOf(request),
    });
    sendMoneyOutcome(reply, outcome);
  }
}

/** Statuses that may have a transaction (decisions.md section 1). */
const NAMES_TRANSACTION: ReadonlySet<number> = new Set([200, 409, 503, 504]);

function sendMoneyOutcome(reply: FastifyReply, { result, transactionCode, replayed }: MoneyOutcome): void {
  const status = result.ok ? 200 : statusOf(result.error);
  if (transactionCode !== null && NAMES_TRANSACTION.has(status)) void reply.header('transaction-code', transactionCode);
  if (replayed) void reply.header('idempotent-replayed', 'true');
  if (result.ok) sendSuccess(reply, { message: 'The transaction is accepted', data: result.value });
  else sendProblem(reply, result.error);
}
