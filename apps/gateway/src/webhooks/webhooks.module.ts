import { Module } from '@nestjs/common';

import { PartnersModule } from '../partners/index.js';
import { ListDeliveries } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';
import { SetDefaultWebhook } from './set-default-webhook.js';
import { WebhooksController } from './webhooks.controller.js';

@Module({
  imports: [PartnersModule],
  controllers: [WebhooksController],
  providers: [ListDeliveries, ResendDeliveries, SendTestWebhook, SetDefaultWebhook],
})
export class WebhooksModule {}
