import { Module } from '@nestjs/common';

import { ArrivalsModule } from '../arrivals/index.js';
import { ChainsModule } from '../chains/index.js';
import { ClaimWorkModule } from '../claim-work/index.js';
import { OrdersModule } from '../orders/index.js';
import { SwitchesModule } from '../switches/index.js';
import { ArrivalMetrics } from './arrival-metrics.js';
import { PageByAge } from './page-by-age.js';
import { PageOrders } from './page-orders.js';
import { PageRefunds } from './page-refunds.js';
import { RefundMetrics } from './refund-metrics.js';
import { RefundWatch } from './refund-watch.js';
import { StaleAlerts } from './stale-alerts.js';
import { WatchArrivals } from './watch-arrivals.js';

@Module({
  imports: [ArrivalsModule, ChainsModule, ClaimWorkModule, OrdersModule, SwitchesModule],
  providers: [
    RefundWatch,
    PageByAge,
    PageRefunds,
    WatchArrivals,
    PageOrders,
    ArrivalMetrics,
    RefundMetrics,
    StaleAlerts,
  ],
  exports: [StaleAlerts],
})
export class AlertsModule {}
