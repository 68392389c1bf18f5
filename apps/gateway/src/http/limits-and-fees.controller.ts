import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { LimitsAndFees } from '../limits-and-fees.js';
import { sendSuccess } from './answer.js';
import { Answers } from './operations.js';

@Controller()
export class LimitsAndFeesController {
  constructor(@Inject(LimitsAndFees) private readonly terms: LimitsAndFees) {}

  @Answers('limits')
  limits(@Res() reply: FastifyReply): void {
    sendSuccess(reply, { message: 'The limits', data: this.terms.limits(), nextCursor: null });
  }

  @Answers('fees')
  fees(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    sendSuccess(reply, { message: 'The fees', data: this.terms.fees(request.pathCurrency), nextCursor: null });
  }
}
