import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ResolveName } from './resolve-name.js';
import { bodyOf, callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { NAME_OPERATIONS } from './directory.operations.js';

@Controller()
export class ValidationController {
  constructor(private readonly resolveName: ResolveName) {}

  @Answers(NAME_OPERATIONS.validation)
  async validate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const told = await this.resolveName.run({
      caller: callerOf(request),
      currency: request.pathCurrency,
      body: bodyOf(request),
      context: callContextOf(request),
    });
    if (told.ok) sendSuccess(reply, { message: told.value.message, data: told.value.view });
    else sendProblem(reply, told.error);
  }
}
