import { Inject, Injectable } from '@nestjs/common';
import { fail, type Result } from '@vuka/domain';
import { Database, type Queryable } from '@vuka/persistence';
import type { MonotonicClock } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { firstOf, FROZEN_SQL, TransactionStore, type WhyFrozen } from '../transactions/index.js';

/** A freeze and its end are seen within this. */
export const READ_AGAIN_AFTER_MS = 1_000;

export interface Freeze {
  why(partnerId: number): Promise<WhyFrozen | null>;
  /** From committed data, never from memory: otherwise a woken payout could wait on. */
  whyNow(partnerId: number): Promise<WhyFrozen | null>;
}

/** See docs/engineers/money-controls.md. Read from these rows alone. */
@Injectable()
export class FrozenPartners implements Freeze {
  private known: ReadonlyMap<number, WhyFrozen> = new Map();
  private readAt: number | undefined;
  private reading: Promise<void> | undefined;

  constructor(
    @Inject(Database) private readonly db: Queryable,
    @Inject(CLOCK) private readonly clock: MonotonicClock,
  ) {}

  /** Rejects if the database is away. */
  async why(partnerId: number): Promise<WhyFrozen | null> {
    if (this.readAt === undefined || this.clock.monotonicMs() - this.readAt >= READ_AGAIN_AFTER_MS) {
      await this.readOnce();
    }
    return this.known.get(partnerId) ?? null;
  }

  /** Callers during one read share the next one. Rejects like `why`. */
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

/** Public texts: reasons given by people stay internal. */
const STOPPED: Readonly<Record<WhyFrozen, string>> = {
  suspended: 'This account is suspended: nothing new is taken from it',
  frozen: 'New payouts of this account are stopped',
  vanished: 'New payouts of this account are stopped: a deposit that had paid for one vanished from its chain',
  sent_back: 'New payouts of this account are stopped: a payout was paid, and its value sent back as well',
};

/** Accepted payouts are answered as before. What slips through is not started. */
@Injectable()
export class RefuseFrozen {
  constructor(
    @Inject(FrozenPartners) private readonly frozen: Freeze,
    private readonly store: TransactionStore,
  ) {}

  async run(partnerId: number, transactionCode: string): Promise<Result<never> | null> {
    // The commit reports a missing database.
    const why = await this.frozen.why(partnerId).catch(() => null);
    if (why === null || (await this.store.acceptedUnder(partnerId, transactionCode)) !== undefined) return null;
    return fail({ code: 'forbidden', message: `${STOPPED[why]}. Please get in touch with us` });
  }
}
