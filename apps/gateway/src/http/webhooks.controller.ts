import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SetDefaultWebhook } from '../set-default-webhook.js';
import { sendProblem, sendSuccess } from './answer.js';
import { Answers } from './operations.js';
import { bodyOf, callerOf } from './request-parts.js';

/** Where a partner is told of what changes. */
@Controller()
export class WebhooksController {
  constructor(@Inject(SetDefaultWebhook) private readonly setDefaultWebhook: SetDefaultWebhook) {}

  @Answers('webhookEndpoint')
  async endpoint(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const set = await this.setDefaultWebhook.run(callerOf(request), bodyOf(request));
    if (set.ok) sendSuccess(reply, { message: 'The default webhook URL', data: set.value });
    else sendProblem(reply, set.error);
  }
}
