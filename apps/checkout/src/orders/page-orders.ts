import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@vuka/config';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER, SETTINGS } from '@vuka/service-host';

import { OrderWatch } from './order-watch.js';

/** A healthy scan passes an order's end within seconds. */
export const STUCK_AFTER_MS = 15 * 60_000;

@Injectable()
export class PageOrders {
  public constructor(
    private readonly watch: OrderWatch,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now();
    for (const { network, count, since, unpassed } of await this.watch.stuck(
      now,
      STUCK_AFTER_MS,
      this.settings.checkout.confirmMinutes * 60_000,
    )) {
      const minutes = Math.floor((now.getTime() - since.getTime()) / 60_000);
      this.log.error(
        { code: 'orders_stuck', chain: network, orders: count, not_checked_through: unpassed, minutes },
        'orders are past their end, but are not decided',
      );
    }
  }
}
