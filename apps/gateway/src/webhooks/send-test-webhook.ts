import { Inject, Injectable } from '@nestjs/common';
import { notifierApi, type CallContext, type DeliveryView, type InternalClient } from '@vuka/contracts';
import { fail, type Result } from '@vuka/domain';
import type { Logger } from '@vuka/runtime';
import { LOGGER, clientOf } from '@vuka/service-host';

import { read } from '../calls/index.js';
import type { Caller } from '../keys/index.js';

const NO_URL: Result<never> = fail({
  code: 'invalid_request',
  message: 'There is no default webhook URL to test. Set one with POST /v1/webhooks/endpoint and {"url": "https://…"}',
});

const OPEN =
  'The test webhook was not confirmed: it may be sent, or not. Ask POST /v1/webhooks/deliveries with {"event": "webhook.test"}, or send the same request again';

/** Sends one signed test to the default URL. Errors: invalid_request (no URL), rate_limited, service_unavailable. */
@Injectable()
export class SendTestWebhook {
  constructor(
    @Inject(clientOf(notifierApi)) private readonly notifier: Pick<InternalClient<typeof notifierApi>, 'testWebhook'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run({ partnerId, webhookUrl }: Caller, context: CallContext): Promise<Result<DeliveryView>> {
    if (webhookUrl === null) return NO_URL;
    return read(this.log, () => this.notifier.testWebhook({ partner_id: partnerId, url: webhookUrl }, context), OPEN);
  }
}
