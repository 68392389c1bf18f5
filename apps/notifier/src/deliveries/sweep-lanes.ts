import { Inject, Injectable } from '@nestjs/common';
import type { Clock, Logger, WakeSignal } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { DELIVERY_SIGNAL } from './delivery-tokens.js';
import { type Lane, LaneStore } from './lane.store.js';

/** A lane that is due is served within seconds, however much is due: every round takes others. */
export const OVERDUE_AFTER_MS = 5 * 60_000;
/** Pages of one run; the next run goes on where this one ended. */
const PAGES_A_RUN = 20;

/** Finds lanes that were lost, forgets those that are empty, and says aloud when nobody serves what is due. */
@Injectable()
export class SweepLanes {
  private last: Lane | null = null;

  constructor(
    private readonly lanes: LaneStore,
    @Inject(DELIVERY_SIGNAL) private readonly dueDeliveries: WakeSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    let mended = 0;
    for (let page = 0; page < PAGES_A_RUN; page += 1) {
      const swept = await this.lanes.sweep(this.last);
      mended += swept.mended;
      this.last = swept.last;
      if (this.last === null) break;
    }
    if (mended > 0) {
      this.log.warn({ lanes: mended }, 'lanes of deliveries said nothing of what was pending, and were put right');
      this.dueDeliveries.notify();
    }
    const now = this.clock.now();
    await this.lanes.forget(now);
    const { waitingSince } = await this.lanes.overview();
    if (waitingSince === null) return;
    const waited = now.getTime() - waitingSince.getTime();
    if (waited < OVERDUE_AFTER_MS) return;
    this.log.error(
      { code: 'webhooks_overdue', minutes: Math.floor(waited / 60_000) },
      'webhooks are due and nobody delivers them',
    );
  }
}
