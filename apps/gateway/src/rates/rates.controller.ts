import { Controller, Req, Res } from '@nestjs/common';
import type { Result } from '@vuka/domain';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { CreateQuote } from './create-quote.js';
import { GetRates } from './get-rates.js';
import { bodyOf, callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { QUOTE_OPERATIONS, RATE_OPERATIONS } from './rates.operations.js';

@Controller()
export class RatesController {
  constructor(
    private readonly getRates: GetRates,
    private readonly createQuote: CreateQuote,
  ) {}

  @Answers(RATE_OPERATIONS.exchangeRate)
  async rates(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, 'The exchange rate', await this.getRates.rates(bodyOf(request), callContextOf(request)));
  }

  @Answers(RATE_OPERATIONS.exchangeRateInForce)
  async ratesInForce(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, 'The exchange rate', await this.getRates.ratesInForce(bodyOf(request), callContextOf(request)));
  }

  @Answers(RATE_OPERATIONS.accountExchangeRate)
  async oneWay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    send(reply, 'The exchange rate', await this.getRates.oneWay(bodyOf(request), callContextOf(request)));
  }

  @Answers(QUOTE_OPERATIONS.quote)
  async quote(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const input = {
      caller: callerOf(request),
      currency: request.pathCurrency,
      body: bodyOf(request),
      context: callContextOf(request),
    };
    send(reply, 'The quote', await this.createQuote.run(input));
  }
}

function send(reply: FastifyReply, message: string, answer: Result<unknown>): void {
  if (answer.ok) sendSuccess(reply, { message, data: answer.value, exactNumbers: true });
  else sendProblem(reply, answer.error);
}
