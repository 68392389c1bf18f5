import { Inject, Injectable } from '@nestjs/common';

import { AttemptStore, type WhyFrozen } from '../transactions/index.js';
import { type Freeze, FrozenPartners } from './frozen-partners.js';
import { WakeStopped } from './wake-stopped.js';

@Injectable()
export class PayoutStops {
  constructor(
    @Inject(FrozenPartners) private readonly frozen: Freeze,
    private readonly stopped: WakeStopped,
    private readonly attempts: AttemptStore,
  ) {}

  /**
   * The cache lets most payouts pass. A stop is confirmed from the database, because a lifted one would not wake
   * the payout.
   */
  async why(partnerId: number): Promise<WhyFrozen | null> {
    return (await this.frozen.why(partnerId)) === null ? null : this.frozen.whyNow(partnerId);
  }

  /** If the stop was lifted before the payout began to wait, nobody woke it. */
  async wakeIfLetGo(partnerId: number): Promise<void> {
    if ((await this.frozen.whyNow(partnerId)) === null) await this.stopped.run(partnerId);
  }

  /** The same for a resolved contradiction. */
  async wakeIfResolved(transactionId: number): Promise<void> {
    if (!(await this.attempts.historyOf(transactionId)).isContradicted) await this.stopped.one(transactionId);
  }
}
