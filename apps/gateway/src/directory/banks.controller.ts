import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ListBanks } from './list-banks.js';
import { callContextOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { BANK_OPERATIONS } from './directory.operations.js';

@Controller()
export class BanksController {
  constructor(private readonly listBanks: ListBanks) {}

  @Answers(BANK_OPERATIONS.banks)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const banks = await this.listBanks.run(request.pathCurrency, callContextOf(request));
    if (banks.ok) sendSuccess(reply, { message: 'The banks', data: banks.value, nextCursor: null });
    else sendProblem(reply, banks.error);
  }
}
