import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

import { AccountModule } from './account/index.js';
import { CallbacksModule } from './callbacks/index.js';
import { ChainsModule } from './chains/index.js';
import { DocsModule } from './docs/index.js';
import { EdgeModule } from './edge/index.js';
import { HealthModule } from './health/index.js';
import { GatewayRoot } from './gateway.root.js';
import { ErrorFilter } from './http/index.js';
import { KeysModule } from './keys/index.js';
import { OrdersModule } from './orders/index.js';
import { PartnersModule } from './partners/index.js';
import { PayPageModule } from './pay-page/index.js';
import { PayoutsModule } from './payouts/index.js';
import { PublicOperationsModule } from './public-operations.js';
import { RatesModule } from './rates/index.js';
import { RefundsModule } from './refunds/index.js';
import { TransactionsModule } from './transactions/index.js';
import { WebhooksModule } from './webhooks/index.js';

@Module({
  imports: [
    AccountModule,
    CallbacksModule,
    ChainsModule,
    DocsModule,
    EdgeModule,
    HealthModule,
    KeysModule,
    OrdersModule,
    PartnersModule,
    PayPageModule,
    PayoutsModule,
    PublicOperationsModule,
    RatesModule,
    RefundsModule,
    TransactionsModule,
    WebhooksModule,
  ],
  providers: [GatewayRoot, { provide: APP_FILTER, useClass: ErrorFilter }],
})
export class AppModule {}
