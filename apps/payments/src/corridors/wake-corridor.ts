import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { PayoutWake } from '../due-work/index.js';
import { TransactionStore } from '../transactions/index.js';
import type { CorridorScope } from './corridor.js';

const AT_ONCE = 500;
/** The rest retries at its own time. */
const MOST_ROUNDS = 200;

/** Makes payments due now that wait for a provider in these corridors. If another reason stands, they wait on. */
@Injectable()
export class WakeCorridor {
  constructor(
    private readonly transactions: TransactionStore,
    @Inject(CLOCK) private readonly clock: Clock,
    /** Other processes find them by themselves. */
    @Inject(PayoutWake) private readonly wake: { readonly starts: { notify(): void } },
  ) {}

  async run(corridors: Omit<CorridorScope, 'provider'>): Promise<void> {
    const now = this.clock.now();
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      const woken = await this.transactions.wakeParked(corridors, now, AT_ONCE);
      if (woken > 0) this.wake.starts.notify();
      if (woken < AT_ONCE) return;
    }
  }

  async one(transactionId: number): Promise<void> {
    if (await this.transactions.wake(transactionId, this.clock.now())) this.wake.starts.notify();
  }
}
