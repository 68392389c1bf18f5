import { fail, type Result } from '@vuka/domain';
import type { Queryable } from '@vuka/persistence';
import type { MonotonicClock } from '@vuka/platform';

import { FROZEN_SQL } from './store/held-back.store.js';
import type { TransactionStore } from './store/transaction.store.js';

/** What was read is believed for so long: a freeze and its end are seen within this. */
const READ_AGAIN_AFTER_MS = 1_000;

/** Says whose payouts wait. */
export interface Freeze {
  has(partnerId: number): Promise<boolean>;
}

/**
 * Partners of whom a deposit vanished that had paid for something (docs/money.md, "When a chain takes it back"): frozen for as long as the
 * incident of it is open. There is nothing else that says so, and nothing that could disagree.
 */
export class FrozenPartners implements Freeze {
  private known: ReadonlySet<number> = new Set();
  private readAt: number | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly db: Queryable,
    private readonly clock: MonotonicClock,
  ) {}

  /** Rejects where the database is away. */
  async has(partnerId: number): Promise<boolean> {
    if (this.readAt === undefined || this.clock.monotonicMs() - this.readAt >= READ_AGAIN_AFTER_MS) {
      await (this.reading ??= this.read().finally(() => {
        this.reading = undefined;
      }));
    }
    return this.known.has(partnerId);
  }

  private async read(): Promise<void> {
    const begun = this.clock.monotonicMs();
    const rows = await this.db.query<{ partner_id: number }>(FROZEN_SQL, [], { name: 'frozen_partners' });
    this.known = new Set(rows.map((row) => row.partner_id));
    this.readAt = begun;
  }
}

/** Refuses new payouts of frozen partners. What was accepted before is answered as ever; what slips through while the freeze begins is not started. */
export class RefuseFrozen {
  constructor(
    private readonly frozen: Freeze,
    private readonly store: Pick<TransactionStore, 'acceptedUnder'>,
  ) {}

  /** The refusal (forbidden), or null where the payout may be taken in. */
  async run(partnerId: number, transactionCode: string): Promise<Result<never> | null> {
    // A database that is away is told by the commit, which waits for it.
    const isFrozen = await this.frozen.has(partnerId).catch(() => false);
    if (!isFrozen || (await this.store.acceptedUnder(partnerId, transactionCode)) !== undefined) return null;
    return fail({
      code: 'forbidden',
      message: 'New payouts of this account are stopped: a deposit that had paid for one vanished from its chain. Please get in touch with us',
    });
  }
}
