import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { AcceptBankTransfer, type MoneyOutcome } from '../accept-bank-transfer.js';
import { sendProblem, sendSuccess, statusOf } from './answer.js';
import { Answers } from './operations.js';
import { callContextOf } from './request-id.js';
import { bodyOf, callerOf, currencyOf } from './request-parts.js';

@Controller()
export class BankTransferController {
  constructor(@Inject(AcceptBankTransfer) private readonly acceptBankTransfer: AcceptBankTransfer) {}

  @Answers('bankTransfer')
  async accept(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const outcome = await this.acceptBankTransfer.run({
      caller: callerOf(request),
      currency: currencyOf(request),
      body: bodyOf(request),
      // As sent: one header twice is joined by Node into one text.
      idempotencyKey: onlyOne(request.raw.headersDistinct['idempotency-key']),
      context: callContextOf(request),
    });
    sendMoneyOutcome(reply, outcome);
  }
}

/** Statuses after which there may be a transaction to ask about (decisions.md section 1). */
const NAMES_TRANSACTION: ReadonlySet<number> = new Set([200, 409, 503, 504]);

function sendMoneyOutcome(reply: FastifyReply, { result, transactionCode, replayed }: MoneyOutcome): void {
  const status = result.ok ? 200 : statusOf(result.error);
  if (transactionCode !== null && NAMES_TRANSACTION.has(status)) void reply.header('transaction-code', transactionCode);
  if (replayed) void reply.header('idempotent-replayed', 'true');
  if (result.ok) sendSuccess(reply, { message: 'The transaction is accepted', data: result.value });
  else sendProblem(reply, result.error);
}

function onlyOne(values: string[] | undefined): string | string[] | undefined {
  return values?.length === 1 ? values[0] : values;
}
