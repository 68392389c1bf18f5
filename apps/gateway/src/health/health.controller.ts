import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

import { CheckReadiness, type ReadinessView } from './check-readiness.js';
import { sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { HEALTH_OPERATIONS } from './health.operations.js';

@Controller()
export class HealthController {
  constructor(private readonly checkReadiness: CheckReadiness) {}

  @Answers(HEALTH_OPERATIONS.live)
  live(@Res() reply: FastifyReply): void {
    sendSuccess(reply, { message: 'The process is alive', data: { status: 'live' } });
  }

  @Answers(HEALTH_OPERATIONS.ready)
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const readiness = await this.checkReadiness.run();
    if (readiness.ok) sendSuccess(reply, { message: messageOf(readiness.value), data: readiness.value });
    else sendProblem(reply, readiness.error);
  }
}

function messageOf({ checks }: ReadinessView): string {
  const away = Object.keys(checks).filter((name) => checks[name] !== true);
  return away.length === 0 ? 'Every service is ready' : `Ready, save for what needs ${away.join(', ')}`;
}
