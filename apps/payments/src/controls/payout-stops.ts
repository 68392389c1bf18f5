import { Inject, Injectable } from '@nestjs/common';

import { AttemptStore, type WhyFrozen } from '../transactions/index.js';
import { type Freeze, FrozenPartners } from './frozen-partners.js';
import { WakeStopped } from './wake-stopped.js';

/** What stops a payout from being started until people have looked, and its end while the payout was being put to wait. */
@Injectable()
export class PayoutStops {
  constructor(
    @Inject(FrozenPartners) private readonly frozen: Freeze,
    private readonly stopped: WakeStopped,
    private readonly attempts: AttemptStore,
  ) {}

  /** What is remembered lets most go on without a question; whoever would have to wait may have been let go this very moment, and would not be woken again. */
  async why(partnerId: number): Promise<WhyFrozen | null> {
    return (await this.frozen.why(partnerId)) === null ? null : this.frozen.whyNow(partnerId);
  }

  /** Who let the partner go after it was asked for, and before the payout was put to wait, did not find it among what waits. Who does so from here on finds it. */
  async wakeIfLetGo(partnerId: number): Promise<void> {
    if ((await this.frozen.whyNow(partnerId)) === null) await this.stopped.run(partnerId);
  }

  /** The same of who resolved a provider's contradiction. */
  async wakeIfResolved(transactionId: number): Promise<void> {
    if (!(await this.attempts.historyOf(transactionId)).isContradicted) await this.stopped.one(transactionId);
  }
}
