import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

/** What may wait so long before somebody should hear of it. IN_DOUBT never ends by time, so time must call people. */
const PATIENCE_MS = 15 * 60_000;

/** A provider without float or out of reach: whoever can help should hear of it while the wait still lasts. */
const PARKED_PATIENCE_MS = 60_000;

/** A signer without a network needs a person to carry files to it and back. */
const UNSIGNED_PATIENCE_MS = 4 * 3_600_000;

/** What is signed is on its chain within minutes, and final within an hour. */
const UNSENT_PATIENCE_MS = 3_600_000;

/** Says aloud what waits for people or for a rail: transactions parked, in doubt or in review, and open incidents. */
@Injectable()
export class StaleAlerts {
  constructor(
    private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async run(): Promise<void> {
    const now = this.clock.now();
    await this.refunds(now);
    const rows = await this.db.query<{ what: string; waiting: number; oldest: Date }>(
      `select t.state as what, count(*)::integer as waiting, min(x.since) as oldest
         from holds h join transactions t on t.id = h.transaction_id
         -- Since it came to the state: what is only noted there does not make the wait younger.
         cross join lateral (select max(at) as since from transitions where transaction_id = t.id and from_state is distinct from to_state) x
        where h.state = 'open' and t.state in ('IN_DOUBT', 'REVIEW') and x.since <= $1 group by t.state
       union all
       select 'parked', count(*)::integer, min(created_at) from transactions
        where due_at is not null and state = 'QUEUED' and park_deadline is not null and created_at <= $2 having count(*) > 0
       union all
       select 'incident', count(*)::integer, min(at) from incidents where resolved_at is null and at <= $1 having count(*) > 0`,
      [new Date(now.getTime() - PATIENCE_MS), new Date(now.getTime() - PARKED_PATIENCE_MS)],
    );
    for (const { what, waiting, oldest } of rows) {
      this.log.error(
        {
          code: 'waits_for_people',
          what,
          waiting,
          oldest_minutes: Math.floor((now.getTime() - oldest.getTime()) / 60_000),
        },
        'payments wait for somebody to look at them: npm run vuka -- stuck',
      );
    }
  }

  /** Value of partners that is to go back on chain and does not. */
  private async refunds(now: Date): Promise<void> {
    const rows = await this.db.query<{ state: string; waiting: number; oldest: Date }>(
      `select state, count(*)::integer as waiting, min(case when state in ('HELD', 'GRANTED') then created_at else updated_at end) as oldest from refunds
        where state in ('HELD', 'GRANTED', 'SIGNED', 'BROADCAST') and case when state in ('HELD', 'GRANTED') then created_at <= $1 else updated_at <= $2 end group by state`,
      [new Date(now.getTime() - UNSIGNED_PATIENCE_MS), new Date(now.getTime() - UNSENT_PATIENCE_MS)],
    );
    for (const { state, waiting, oldest } of rows) {
      this.log.error(
        {
          code: 'refunds_wait',
          state,
          waiting,
          oldest_minutes: Math.floor((now.getTime() - oldest.getTime()) / 60_000),
        },
        'refunds wait too long: npm run vuka -- refunds',
      );
    }
  }
}
