import { Inject, Injectable } from '@nestjs/common';
import { type AvailabilityProvider, type PayoutProvider, tellsAvailability } from '@vuka/payouts';
import type { Clock } from '@vuka/runtime';
import { CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { CorridorStateStore } from './corridor-state.store.js';
import { WakeCorridor } from './wake-corridor.js';

/** Asks each provider that tells it which corridors it can pay. */
@Injectable()
export class ReadAvailability {
  private readonly telling: readonly AvailabilityProvider[];
  private isReading = false;

  constructor(
    private readonly store: CorridorStateStore,
    private readonly waiting: WakeCorridor,
    @Inject(PAYOUT_PROVIDERS) providers: readonly PayoutProvider[],
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.telling = providers.filter(tellsAvailability);
  }

  async run(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    try {
      await Promise.all(this.telling.map((provider) => this.ask(provider)));
      await this.store.forget(this.clock.now());
    } finally {
      this.isReading = false;
    }
  }

  /** By our clock, when its answer had come: how old its own word is, it knows best. */
  private async ask(provider: AvailabilityProvider): Promise<void> {
    const answer = await provider.availability();
    if (answer.outcome === 'failed') return;
    for (const opened of await this.store.keepNotices(provider.id, answer.corridors, this.clock.now()))
      await this.waiting.run(opened);
  }
}
