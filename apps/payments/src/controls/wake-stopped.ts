import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import { TransactionStore } from '../transactions/index.js';

const AT_ONCE = 500;
/** What is left after so many is tried again by its own time. */
const MOST_ROUNDS = 200;

/** Has what waited by a freeze or a suspension looked at now. It may still be held by another reason: then it waits on. */
@Injectable()
export class WakeStopped {
  constructor(
    private readonly transactions: TransactionStore,
    @Inject(CLOCK) private readonly clock: Clock,
    /** Of this process; another one finds them by itself. */
    @Inject(PayoutWake) private readonly wake: { readonly starts: { notify(): void } },
  ) {}

  async run(partnerId: number): Promise<void> {
    const now = this.clock.now();
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      const woken = await this.transactions.wakeStopped(partnerId, now, AT_ONCE);
      if (woken > 0) this.wake.starts.notify();
      if (woken < AT_ONCE) return;
    }
  }

  /** The same of one transaction. */
  async one(transactionId: number): Promise<void> {
    if (await this.transactions.wake(transactionId, this.clock.now())) this.wake.starts.notify();
  }
}
