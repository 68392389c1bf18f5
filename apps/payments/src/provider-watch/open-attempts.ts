import { Inject, Injectable } from '@nestjs/common';
import { paceOf, type PayoutProvider } from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import { type Clock, type GaugeMetric, type Logger, Metrics } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { sharedRead } from './shared-read.js';

interface OpenAttemptsRow {
  readonly provider: string;
  readonly state: string;
  readonly attempts: number;
  readonly oldest: Date;
}

/** INTENT is not sent yet. */
const STATES = ['SENDING', 'PENDING', 'UNKNOWN'];
/** More are not counted. Ids rise with time, so these are the oldest. */
const MOST_COUNTED = 20_000;

const OPEN_SQL = `
select provider, state, count(*)::integer as attempts, min(coalesce(first_sent_at, created_at)) as oldest
  from (select provider, state, first_sent_at, created_at from attempts where state in ('SENDING', 'PENDING', 'UNKNOWN')
         order by transaction_id limit ${MOST_COUNTED}) a
 group by provider, state`;

/** Sent, and the provider has not ended it. */
@Injectable()
export class OpenAttempts {
  private readonly read = sharedRead(() => this.db.query<OpenAttemptsRow>(OPEN_SQL));

  constructor(
    private readonly db: Database,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    metrics: Metrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    const labels = ['provider', 'state'] as const;
    const gauge = (name: string, help: string, value: (row: OpenAttemptsRow) => number): void => {
      metrics.gauge(name, help, labels, { collect: (one: GaugeMetric<'provider' | 'state'>) => this.set(one, value) });
    };
    gauge(
      'vuka_payments_open_attempts',
      'Attempts that were sent and have not ended; UNKNOWN: nobody knows what became of them',
      ({ attempts }) => attempts,
    );
    gauge('vuka_payments_oldest_attempt_seconds', 'Since the first call of the oldest of them', (row) =>
      Math.floor(this.ageMs(row) / 1_000),
    );
  }

  /** UNKNOWN ones are `waits_for_people`. */
  async alert(): Promise<void> {
    for (const row of await this.read()) {
      const longMs = this.longMs(row.provider);
      if (row.state !== 'PENDING' || this.ageMs(row) <= longMs) continue;
      this.log.error(
        {
          code: 'payout_open_long',
          provider: row.provider,
          open: row.attempts,
          oldest_minutes: Math.floor(this.ageMs(row) / 60_000),
          usual_minutes: Math.floor(longMs / 60_000),
        },
        'a provider has taken a payout, and says neither paid nor failed',
      );
    }
  }

  private longMs(provider: string): number {
    return paceOf(this.providers.find(({ id }) => id === provider)).longMs;
  }

  private ageMs({ oldest }: OpenAttemptsRow): number {
    return Math.max(0, this.clock.now().getTime() - oldest.getTime());
  }

  /** If the database is down, the gauge keeps its values. */
  private async set(gauge: GaugeMetric<'provider' | 'state'>, value: (row: OpenAttemptsRow) => number): Promise<void> {
    const rows = await this.read().catch(() => null);
    if (rows === null) return;
    const ids = new Set([...this.providers.map(({ id }) => id), ...rows.map(({ provider }) => provider)]);
    for (const provider of ids) {
      for (const state of STATES) {
        const row = rows.find((one) => one.provider === provider && one.state === state);
        gauge.set({ provider, state }, row === undefined ? 0 : value(row));
      }
    }
  }
}
