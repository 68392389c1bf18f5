import { Injectable } from '@nestjs/common';

import { StaleClaims } from './stale-claims.js';
import { PageOrders } from './page-orders.js';
import { PageRefunds } from './page-refunds.js';
import { WatchIncomingTransfers } from './watch-incoming-transfers.js';

@Injectable()
export class StaleAlerts {
  public constructor(
    private readonly claims: StaleClaims,
    private readonly refunds: PageRefunds,
    private readonly incomingTransfers: WatchIncomingTransfers,
    private readonly orders: PageOrders,
  ) {}

  public async run(): Promise<void> {
    await Promise.all([this.claims.run(), this.refunds.run(), this.incomingTransfers.run(), this.orders.run()]);
  }
}
