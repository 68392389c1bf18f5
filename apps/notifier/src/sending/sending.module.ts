import { Module } from '@nestjs/common';

import { DeliveriesModule } from '../deliveries/index.js';
import { SecretsModule } from '../secrets/index.js';
import { AttemptDelivery } from './attempt-delivery.js';
import { CountDeliveryQueueOutcomes } from './count-delivery-queue-outcomes.js';
import { DeliverWebhooks } from './deliver-webhooks.js';
import { DeliveryLoop } from './delivery-loop.js';
import { createPostWebhook, POST_WEBHOOK, WebhookAgent } from './post-webhook.js';
import { RecordAttempts } from './record-attempts.js';

@Module({
  imports: [DeliveriesModule, SecretsModule],
  providers: [
    WebhookAgent,
    {
      provide: POST_WEBHOOK,
      inject: [WebhookAgent],
      useFactory: ({ agent }: WebhookAgent) => createPostWebhook(agent),
    },
    AttemptDelivery,
    CountDeliveryQueueOutcomes,
    RecordAttempts,
    DeliverWebhooks,
    DeliveryLoop,
  ],
  exports: [DeliveryLoop],
})
export class SendingModule {}
