import { Module } from '@nestjs/common';

import { CallbacksModule } from './callbacks/index.js';
import { DepositsModule } from './deposits/index.js';
import { JobsModule } from './jobs/index.js';
import { ListsModule } from './lists/index.js';
import { OrdersModule } from './orders/index.js';
import { PaymentsHandlers } from './payments-handlers.js';
import { PaymentsRoot } from './payments.root.js';
import { PayoutsModule } from './payouts/index.js';
import { RefundsModule } from './refunds/index.js';
import { RetentionModule } from './retention/index.js';
import { WalletsModule } from './wallets/index.js';

@Module({
  imports: [PayoutsModule, CallbacksModule, DepositsModule, OrdersModule, RefundsModule, ListsModule, WalletsModule, JobsModule, RetentionModule], // prettier-ignore
  providers: [PaymentsHandlers, PaymentsRoot],
})
export class AppModule {}
