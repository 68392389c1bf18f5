import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { DescribeAccount } from '../describe-account.js';
import { sendProblem, sendSuccess } from './answer.js';
import { Answers } from './operations.js';
import { callContextOf } from './request-id.js';
import { callerOf } from './request-parts.js';

@Controller()
export class AccountController {
  constructor(@Inject(DescribeAccount) private readonly describeAccount: DescribeAccount) {}

  @Answers('accountDetail')
  async detail(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const account = await this.describeAccount.run(callerOf(request), callContextOf(request));
    if (account.ok) sendSuccess(reply, { message: 'The account', data: account.value, exactNumbers: true });
    else sendProblem(reply, account.error);
  }
}
