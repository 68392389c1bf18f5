import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { DELIVERY_SIGNAL } from './delivery-tokens.js';
import { type DeliveryQueue, DeliveryQueueStore } from './delivery-queue.store.js';

/** Normally within seconds. */
export const OVERDUE_AFTER_MS = 5 * 60_000;
const PAGES_A_RUN = 20;

/** Repairs lost queues, deletes empty ones, and raises an alarm if due queues are not served. */
@Injectable()
export class SweepDeliveryQueues {
  private last: DeliveryQueue | null = null;

  constructor(
    private readonly deliveryQueues: DeliveryQueueStore,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    let repaired = 0;
    for (let page = 0; page < PAGES_A_RUN; page += 1) {
      const swept = await this.deliveryQueues.sweep(this.last);
      repaired += swept.repaired;
      this.last = swept.last;
      if (this.last === null) break;
    }
    if (repaired > 0) {
      this.log.warn(
        { delivery_queues: repaired },
        'delivery queues did not list pending deliveries, and were repaired',
      );
      this.dueDeliveries.notify();
    }
    const now = this.clock.now();
    await this.deliveryQueues.forget(now);
    const { waitingSince } = await this.deliveryQueues.overview();
    if (waitingSince === null) return;
    const waited = now.getTime() - waitingSince.getTime();
    if (waited < OVERDUE_AFTER_MS) return;
    this.log.error(
      { code: 'webhooks_overdue', minutes: Math.floor(waited / 60_000) },
      'webhooks are due, but no process delivers them',
    );
  }
}
