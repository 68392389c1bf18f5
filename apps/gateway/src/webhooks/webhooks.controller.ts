import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { ListDeliveries } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';
import { SetDefaultWebhook } from './set-default-webhook.js';
import { bodyOf, callContextOf, callerOf, sendProblem, sendSuccess } from '../http/index.js';
import { Answers } from '../operations/index.js';
import { WEBHOOK_OPERATIONS } from './webhooks.operations.js';

@Controller()
export class WebhooksController {
  constructor(
    private readonly setDefaultWebhook: SetDefaultWebhook,
    private readonly sendTestWebhook: SendTestWebhook,
    private readonly listDeliveries: ListDeliveries,
    private readonly resendDeliveries: ResendDeliveries,
  ) {}

  @Answers(WEBHOOK_OPERATIONS.webhookEndpoint)
  async endpoint(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const set = await this.setDefaultWebhook.run(callerOf(request), bodyOf(request));
    if (set.ok) sendSuccess(reply, { message: 'The default webhook URL', data: set.value });
    else sendProblem(reply, set.error);
  }

  @Answers(WEBHOOK_OPERATIONS.webhookTest)
  async test(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const sent = await this.sendTestWebhook.run(callerOf(request), callContextOf(request));
    if (sent.ok) sendSuccess(reply, { message: 'The test webhook is due', data: sent.value });
    else sendProblem(reply, sent.error);
  }

  @Answers(WEBHOOK_OPERATIONS.webhookDeliveries)
  async deliveries(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const page = await this.listDeliveries.run(callerOf(request), bodyOf(request), callContextOf(request));
    if (page.ok)
      sendSuccess(reply, { message: 'The deliveries', data: page.value.rows, nextCursor: page.value.nextCursor });
    else sendProblem(reply, page.error);
  }

  @Answers(WEBHOOK_OPERATIONS.webhookResend)
  async resend(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = request.params as { id: string };
    const resent = await this.resendDeliveries.one(callerOf(request), id, callContextOf(request));
    if (resent.ok) sendSuccess(reply, { message: 'The delivery is due', data: resent.value });
    else sendProblem(reply, resent.error);
  }

  @Answers(WEBHOOK_OPERATIONS.webhookResendMany)
  async resendMany(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const resent = await this.resendDeliveries.several(callerOf(request), bodyOf(request), callContextOf(request));
    if (resent.ok) sendSuccess(reply, { message: 'The deliveries are due', data: resent.value });
    else sendProblem(reply, resent.error);
  }
}
