import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@vuka/persistence';
import type { Clock, Logger } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

/** IN_DOUBT never ends by time, so people must hear of it. */
const PATIENCE_MS = 15 * 60_000;

/** Most payouts end within seconds. One that a provider works on for so long needs somebody to ask it. */
export const OUT_PATIENCE_MS = 3_600_000;

/** While there is still time to help. */
const PARKED_PATIENCE_MS = 60_000;

/** An offline signer needs a person to carry files. */
const UNSIGNED_PATIENCE_MS = 4 * 3_600_000;

/** They are handled within seconds; those that wait for an id, within ten minutes. */
const CALLBACK_PATIENCE_MS = 15 * 60_000;

/** Signed refunds are on chain in minutes, final in an hour. */
const UNSENT_PATIENCE_MS = 3_600_000;

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
    await this.outcomes(now);
    await this.callbacks(now);
    const rows = await this.db.query<{ what: string; provider: string | null; waiting: number; oldest: Date }>(
      `select t.state as what, a.provider, count(*)::integer as waiting, min(x.since) as oldest
         from holds h join transactions t on t.id = h.transaction_id
         -- None before anything was sent.
         left join attempts a on a.transaction_id = t.id and a.attempt_no = t.attempt_no
         -- Since it came to the state: what is only noted there does not make the wait younger.
         cross join lateral (select max(at) as since from transitions where transaction_id = t.id and from_state is distinct from to_state) x
        where h.state = 'open' and t.state in ('IN_DOUBT', 'REVIEW') and x.since <= $1 group by t.state, a.provider
       union all
       select 'parked', null, count(*)::integer, min(created_at) from transactions
        where due_at is not null and state = 'QUEUED' and park_deadline is not null and created_at <= $2 having count(*) > 0
       union all
       select 'incident', null, count(*)::integer, min(at) from incidents where resolved_at is null and at <= $1 having count(*) > 0`,
      [new Date(now.getTime() - PATIENCE_MS), new Date(now.getTime() - PARKED_PATIENCE_MS)],
    );
    for (const { what, provider, waiting, oldest } of rows) {
      this.log.error(
        {
          code: 'waits_for_people',
          what,
          ...(provider !== null && { provider }),
          waiting,
          oldest_minutes: minutesSince(oldest, now),
        },
        'payments wait for a person: npm run vuka -- stuck',
      );
    }
  }

  /** By provider: it has them, or may have them, and does not say how they ended. Never an end by itself. */
  private async outcomes(now: Date): Promise<void> {
    const rows = await this.db.query<{ provider: string; state: string; waiting: number; oldest: Date }>(
      `select provider, state, count(*)::integer as waiting, min(coalesce(first_sent_at, created_at)) as oldest from attempts
        where state in ('INTENT', 'SENDING', 'PENDING', 'UNKNOWN') and coalesce(first_sent_at, created_at) <= $1 group by provider, state order by provider, state`,
      [new Date(now.getTime() - OUT_PATIENCE_MS)],
    );
    for (const { provider, state, waiting, oldest } of rows) {
      this.log.error(
        { code: 'payouts_without_end', provider, state, waiting, oldest_minutes: minutesSince(oldest, now) },
        'a provider does not say how payouts ended: npm run vuka -- stuck',
      );
    }
  }

  private async callbacks(now: Date): Promise<void> {
    const rows = await this.db.query<{
      provider: string;
      unknown: number;
      signed: number;
      waiting: number;
      oldest: Date;
    }>(
      `select provider, count(*) filter (where outcome = 'unknown')::integer as unknown, count(*) filter (where outcome = 'unknown' and signed)::integer as signed,
              count(*) filter (where due_at is not null)::integer as waiting, min(received_at) as oldest from provider_callbacks
        where (outcome = 'unknown' and resolved_at is null) or (due_at is not null and received_at <= $1) group by provider`,
      [new Date(now.getTime() - CALLBACK_PATIENCE_MS)],
    );
    for (const { provider, unknown, signed, waiting, oldest } of rows) {
      const about = { provider, oldest_minutes: minutesSince(oldest, now) };
      if (unknown > 0)
        this.log.error(
          { code: 'callback_unknown_payment', ...about, callbacks: unknown, signed },
          'a provider calls back about payouts that are not ours: npm run vuka -- callbacks',
        );
      if (waiting > 0)
        this.log.error(
          { code: 'callbacks_wait', ...about, callbacks: waiting },
          'callbacks of a provider are not handled; polls do their work',
        );
    }
  }

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
          oldest_minutes: minutesSince(oldest, now),
        },
        'refunds wait too long: npm run vuka -- refunds',
      );
    }
  }
}

function minutesSince(from: Date, now: Date): number {
  return Math.floor((now.getTime() - from.getTime()) / 60_000);
}
