import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { LimitsAndFees } from './limits-and-fees.js';
import { callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { REFERENCE_OPERATIONS } from './account.operations.js';

@Controller()
export class LimitsAndFeesController {
  constructor(private readonly terms: LimitsAndFees) {}

  @Answers(REFERENCE_OPERATIONS.limits)
  limits(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const limits = this.terms.limits(callerOf(request));
    if (limits.ok) sendSuccess(reply, { message: 'The limits', data: limits.value, nextCursor: null });
    else sendProblem(reply, limits.error);
  }

  @Answers(REFERENCE_OPERATIONS.fees)
  fees(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const fees = this.terms.fees(callerOf(request), request.pathCurrency);
    if (fees.ok) sendSuccess(reply, { message: 'The fees', data: fees.value, nextCursor: null });
    else sendProblem(reply, fees.error);
  }
}
