import { Module } from '@nestjs/common';

import { DeliveriesModule } from '../deliveries/index.js';
import { SecretsModule } from '../secrets/index.js';
import { OrderConsumer } from './order.consumer.js';
import { RecordPublicChange } from './record-public-change.js';
import { TransactionConsumer } from './transaction.consumer.js';

@Module({
  imports: [DeliveriesModule, SecretsModule],
  controllers: [TransactionConsumer, OrderConsumer],
  providers: [RecordPublicChange],
})
export class ChangesModule {}
