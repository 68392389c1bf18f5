import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger } from '@vuka/runtime';

import { CLOCK, LOGGER } from '@vuka/service-host';

import { OrderWatchStore } from '../orders/index.js';

/** A healthy scan never lags this long. */
const PATIENCE_MS = 10 * 60_000;

/** Nobody knows yet whether these orders were paid. */
@Injectable()
export class PageOrders {
  public constructor(
    @Inject(OrderWatchStore) private readonly watches: Pick<OrderWatchStore, 'unpassed'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now().getTime();
    for (const { chain, count, oldestExpiredAt } of await this.watches.unpassed(new Date(now - PATIENCE_MS))) {
      this.log.error(
        {
          code: 'orders_not_passed',
          chain,
          orders: count,
          minutes: Math.floor((now - oldestExpiredAt.getTime()) / 60_000),
        },
        'orders are over, but their chain is not scanned past their end, so they wait',
      );
    }
  }
}
