import { Module } from '@nestjs/common';

import { DeliveriesModule } from '../deliveries/index.js';
import { SecretsModule } from '../secrets/index.js';
import { DeliveryLogStore } from './delivery-log.store.js';
import { DeliveryOperations } from './delivery-operations.js';
import { ListDeliveries } from './list-deliveries.js';
import { ResendDeliveries } from './resend-deliveries.js';
import { SendTestWebhook } from './send-test-webhook.js';

@Module({
  imports: [DeliveriesModule, SecretsModule],
  providers: [DeliveryLogStore, ListDeliveries, ResendDeliveries, SendTestWebhook, DeliveryOperations],
  exports: [DeliveryOperations],
})
export class LogModule {}
