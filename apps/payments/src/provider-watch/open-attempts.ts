import { Inject, Injectable } from '@nestjs/common';
import type { PayoutProvider } from '@vuka/payouts';
import { Database } from '@vuka/persistence';
import { type Clock, type GaugeMetric, Metrics } from '@vuka/runtime';
import { CLOCK, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { oneReadAtATime } from './one-read-at-a-time.js';

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

/** Sent, and the provider has not ended it. The alarm is `payouts_without_end`. */
@Injectable()
export class OpenAttempts {
  private readonly read = oneReadAtATime(() => this.db.query<OpenAttemptsRow>(OPEN_SQL));

  constructor(
    private readonly db: Database,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    metrics: Metrics,
    @Inject(CLOCK) private readonly clock: Clock,
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
