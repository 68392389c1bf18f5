import { Injectable } from '@nestjs/common';
import type { InternalHandlers, notifierApi } from '@vuka/contracts';
import { ok } from '@vuka/domain';
import { JobClock } from '@vuka/jobs';
import type { ServiceRoot } from '@vuka/service-host';

import { ExpirePayloads, SweepDeliveryQueues } from './deliveries/index.js';
import { DeliveryOperations } from './log/index.js';
import { EnsureWebhookSecret } from './secrets/index.js';
import { DeliveryLoop } from './sending/index.js';

@Injectable()
export class NotifierRoot implements ServiceRoot {
  readonly handlers: InternalHandlers<typeof notifierApi>;

  constructor(
    secrets: EnsureWebhookSecret,
    log: DeliveryOperations,
    private readonly loop: DeliveryLoop,
    private readonly deliveryQueues: SweepDeliveryQueues,
    private readonly payloads: ExpirePayloads,
    private readonly jobs: JobClock,
  ) {
    this.handlers = {
      ...log.handlers,
      ensureWebhookSecret: async ({ partner_id: partnerId }) => ok({ secret: await secrets.run(partnerId) }),
    };
  }

  async start(): Promise<void> {
    this.jobs.every('notifier.sweep-delivery-queues', () => this.deliveryQueues.run());
    this.jobs.every('notifier.expire-payloads', () => this.payloads.run());
    this.loop.start();
  }
}
