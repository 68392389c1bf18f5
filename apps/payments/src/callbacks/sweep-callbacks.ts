import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK, CLOCK_AGREES, type ClockAgrees } from '@vuka/service-host';

import { CallbackMetrics } from './callback-metrics.js';
import { CallbackProviders } from './callback-providers.js';
import { CallbackStore } from './callback.store.js';
import { LostCallbacks } from './lost-callbacks.js';

/** Of what is handled. What nobody knows is kept until people have seen to it. */
export const KEPT_MS = 7 * 24 * 3_600_000;
const DELETED_AT_ONCE = 1_000;

@Injectable()
export class SweepCallbacks {
  constructor(
    private readonly providers: CallbackProviders,
    private readonly store: CallbackStore,
    private readonly lost: LostCallbacks,
    private readonly metrics: CallbackMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CLOCK_AGREES) private readonly clockAgrees: ClockAgrees,
  ) {}

  /** true: there may be more to do. */
  async run(): Promise<boolean> {
    const now = this.clock.now();
    const waiting = await this.store.waiting();
    for (const { id } of this.providers.all) {
      const oldest = waiting.find(({ provider }) => provider === id)?.oldestAt ?? now;
      this.metrics.oldestIs(id, Math.max(0, now.getTime() - oldest.getTime()) / 1_000);
    }
    const hasMore = await this.lost.count();
    if (!(await this.clockAgrees())) return hasMore;
    const deleted = await this.store.deleteHandled(new Date(now.getTime() - KEPT_MS), DELETED_AT_ONCE);
    return hasMore || deleted === DELETED_AT_ONCE;
  }
}
