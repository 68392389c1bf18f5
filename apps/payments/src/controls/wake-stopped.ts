import type { Clock } from '@vuka/runtime';

import type { TransactionStore } from '../transactions/index.js';

const AT_ONCE = 500;
/** What is left after so many is tried again by its own time. */
const MOST_ROUNDS = 200;

/** Has what waited by a freeze or a suspension looked at now. It may still be held by another reason: then it waits on. */
export class WakeStopped {
  constructor(
    private readonly transactions: Pick<TransactionStore, 'wake' | 'wakeStopped'>,
    private readonly clock: Clock,
    /** Whoever starts payouts; another process finds them by itself. */
    private readonly starts: { notify(): void } | null = null,
  ) {}

  async run(partnerId: number): Promise<void> {
    const now = this.clock.now();
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      const woken = await this.transactions.wakeStopped(partnerId, now, AT_ONCE);
      if (woken > 0) this.starts?.notify();
      if (woken < AT_ONCE) return;
    }
  }

  /** The same of one transaction. */
  async one(transactionId: number): Promise<void> {
    if (await this.transactions.wake(transactionId, this.clock.now())) this.starts?.notify();
  }
}
