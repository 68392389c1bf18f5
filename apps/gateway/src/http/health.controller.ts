import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { CheckReadiness } from '../check-readiness.js';
import { sendProblem, sendSuccess } from './answer.js';
import { Answers } from './operations.js';

@Controller()
export class HealthController {
  constructor(@Inject(CheckReadiness) private readonly checkReadiness: CheckReadiness) {}

  @Answers('live')
  live(@Res() reply: FastifyReply): void {
    sendSuccess(reply, { message: 'The process is alive', data: { status: 'live' } });
  }

  @Answers('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const readiness = await this.checkReadiness.run();
    if (readiness.ok) sendSuccess(reply, { message: 'Every service is ready', data: readiness.value });
    else sendProblem(reply, readiness.error);
  }
}
