import { Inject, Injectable } from '@nestjs/common';
import { fail, type Result } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';
import type { MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { firstOf, FROZEN_SQL, TransactionStore, type WhyFrozen } from '../transactions/index.js';

/** What was read is believed for so long: a freeze and its end are seen within this. */
export const READ_AGAIN_AFTER_MS = 1_000;

/** Says whose payouts wait, and why; null: they do not. */
export interface Freeze {
  why(partnerId: number): Promise<WhyFrozen | null>;
  /** By what is committed at the moment it is asked, never from memory: whoever has what waits woken must not find it waiting on. */
  whyNow(partnerId: number): Promise<WhyFrozen | null>;
}

/**
 * Partners whose payouts wait (docs/engineers/money-controls.md): of whom a deposit vanished that had paid for something, for as long as the incident of it
 * is open; whom people have frozen; who are suspended. There is nothing else that says so, and nothing that could disagree.
 */
@Injectable()
export class FrozenPartners implements Freeze {
  private known: ReadonlyMap<number, WhyFrozen> = new Map();
  private readAt: number | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    @Inject(Database) private readonly db: Queryable,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
  ) {}

  /** Rejects where the database is away. */
  async why(partnerId: number): Promise<WhyFrozen | null> {
    if (this.readAt === undefined || this.clock.monotonicMs() - this.readAt >= READ_AGAIN_AFTER_MS) {
      await this.readOnce();
    }
    return this.known.get(partnerId) ?? null;
  }

  /** All who ask while one read is under way share the next. Rejects as why. */
  async whyNow(partnerId: number): Promise<WhyFrozen | null> {
    await this.reading;
    await this.readOnce();
    return this.known.get(partnerId) ?? null;
  }

  private readOnce(): Promise<void> {
    return (this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    }));
  }

  private async read(): Promise<void> {
    const begun = this.clock.monotonicMs();
    const rows = await this.db.query<{ partner_id: number; why: string }>(FROZEN_SQL, [], { name: 'frozen_partners' });
    const reasons = new Map<number, Set<string>>();
    for (const { partner_id, why } of rows) reasons.set(partner_id, (reasons.get(partner_id) ?? new Set()).add(why));
    this.known = new Map(
      [...reasons].flatMap(([partnerId, found]) => {
        const why = firstOf(found);
        return why === undefined ? [] : [[partnerId, why]];
      }),
    );
    this.readAt = begun;
  }
}

/** What partners are told; why people have frozen them is between them and those people. */
const STOPPED: Readonly<Record<WhyFrozen, string>> = {
  suspended: 'This account is suspended: nothing new is taken from it',
  frozen: 'New payouts of this account are stopped',
  vanished: 'New payouts of this account are stopped: a deposit that had paid for one vanished from its chain',
  sent_back: 'New payouts of this account are stopped: a payout was paid, and its value sent back as well',
};

/** Refuses new payouts of frozen partners. What was accepted before is answered as ever; what slips through while the freeze begins is not started. */
@Injectable()
export class RefuseFrozen {
  constructor(
    @Inject(FrozenPartners) private readonly frozen: Freeze,
    private readonly store: TransactionStore,
  ) {}

  /** The refusal (forbidden), or null where the payout may be taken in. */
  async run(partnerId: number, transactionCode: string): Promise<Result<never> | null> {
    // A database that is away is told by the commit, which waits for it.
    const why = await this.frozen.why(partnerId).catch(() => null);
    if (why === null || (await this.store.acceptedUnder(partnerId, transactionCode)) !== undefined) return null;
    return fail({ code: 'forbidden', message: `${STOPPED[why]}. Please get in touch with us` });
  }
}
