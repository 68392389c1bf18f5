import { Injectable } from '@nestjs/common';

import { PageByAge } from './page-by-age.js';
import { PageOrders } from './page-orders.js';
import { PageRefunds } from './page-refunds.js';
import { WatchArrivals } from './watch-arrivals.js';

/** Calls people for all that has waited too long. */
@Injectable()
export class StaleAlerts {
  public constructor(
    private readonly claims: PageByAge,
    private readonly refunds: PageRefunds,
    private readonly arrivals: WatchArrivals,
    private readonly orders: PageOrders,
  ) {}

  public async run(): Promise<void> {
    await Promise.all([this.claims.run(), this.refunds.run(), this.arrivals.run(), this.orders.run()]);
  }
}
