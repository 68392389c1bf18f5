import { Module } from '@nestjs/common';

import { IncomingTransfersModule } from '../incoming-transfers/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimWorkModule } from '../claim-work/index.js';
import { OrdersModule } from '../orders/index.js';
import { SwitchesModule } from '../switches/index.js';
import { IncomingTransferMetrics } from './incoming-transfer-metrics.js';
import { StaleClaims } from './stale-claims.js';
import { PageOrders } from './page-orders.js';
import { PageRefunds } from './page-refunds.js';
import { RefundMetrics } from './refund-metrics.js';
import { RefundWatch } from './refund-watch.js';
import { StaleAlerts } from './stale-alerts.js';
import { WatchIncomingTransfers } from './watch-incoming-transfers.js';

@Module({
  imports: [IncomingTransfersModule, ChainsModule, ClaimWorkModule, OrdersModule, SwitchesModule],
  providers: [
    RefundWatch,
    StaleClaims,
    PageRefunds,
    WatchIncomingTransfers,
    PageOrders,
    IncomingTransferMetrics,
    RefundMetrics,
    StaleAlerts,
  ],
  exports: [StaleAlerts],
})
export class AlertsModule {}
