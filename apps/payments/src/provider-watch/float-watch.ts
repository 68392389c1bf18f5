import { Inject, Injectable } from '@nestjs/common';
import { type PayoutProvider, tellsBalances } from '@vuka/payouts';
import { type Clock, type GaugeMetric, type Logger, Metrics } from '@vuka/runtime';
import { CLOCK, LOGGER, PAYOUT_PROVIDERS } from '@vuka/service-host';

import { type FloatReading, FloatStore } from './float.store.js';
import { oneReadAtATime } from './one-read-at-a-time.js';

/** Six readings. */
const PATIENCE_MS = 30 * 60_000;
/** After a start there is nothing new yet. */
const FIRST_READ_MS = 6 * 60_000;
const LABELS = ['provider', 'wallet', 'currency', 'source'] as const;
type FloatGauge = GaugeMetric<(typeof LABELS)[number]>;

@Injectable()
export class FloatWatch {
  private readonly startedAt: Date;
  private readonly read = oneReadAtATime(() => this.floats.latest(this.clock.now()));

  constructor(
    private readonly floats: FloatStore,
    @Inject(PAYOUT_PROVIDERS) private readonly providers: readonly PayoutProvider[],
    metrics: Metrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.startedAt = clock.now();
    metrics.gauge(
      'vuka_payments_float_minor',
      'What a float holds in minor units, as the provider says and as the ledger says',
      LABELS,
      { collect: (gauge: FloatGauge) => this.set(gauge, ({ minor }) => Number(minor)) },
    );
    metrics.gauge('vuka_payments_float_age_seconds', 'How old that is', LABELS, {
      collect: (gauge: FloatGauge) => this.set(gauge, ({ at }) => this.msSince(at) / 1_000),
    });
  }

  async alert(): Promise<void> {
    const floats = await this.read();
    for (const float of floats) this.sayLow(float);
    for (const { id } of this.providers.filter(tellsBalances)) {
      const told = floats.filter(({ provider }) => provider === id).map(({ toldAt }) => toldAt.getTime());
      const ageMs = this.msSince(told.length === 0 ? this.startedAt : new Date(Math.max(...told)));
      if (ageMs < PATIENCE_MS || this.msSince(this.startedAt) < FIRST_READ_MS) continue;
      this.log.error(
        { code: 'provider_balance_unread', provider: id, minutes: Math.floor(ageMs / 60_000) },
        'a provider has not told for long what our floats hold',
      );
    }
  }

  /** A balance of a provider that counts from zero is never above it. */
  private sayLow({ provider, wallet, currency, toldMinor, spentMinor }: FloatReading): void {
    if (toldMinor <= 0n || toldMinor >= spentMinor) return;
    this.log.error(
      {
        code: 'float_low',
        provider,
        wallet,
        currency,
        told_minor: toldMinor.toString(),
        spent_minor: spentMinor.toString(),
      },
      'a float holds less than was spent of it within a day',
    );
  }

  /** If the database is down, the gauge keeps its values. */
  private async set(gauge: FloatGauge, value: (told: { minor: bigint; at: Date }) => number): Promise<void> {
    for (const float of await this.read().catch(() => [])) {
      const { provider, wallet, currency, ledgerMinor, ledgerAt } = float;
      const labels = { provider, wallet, currency };
      gauge.set({ ...labels, source: 'provider' }, value({ minor: float.toldMinor, at: float.toldAt }));
      if (ledgerMinor !== null && ledgerAt !== null)
        gauge.set({ ...labels, source: 'ledger' }, value({ minor: ledgerMinor, at: ledgerAt }));
    }
  }

  private msSince(at: Date): number {
    return Math.max(0, this.clock.now().getTime() - at.getTime());
  }
}
