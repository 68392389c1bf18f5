import { Inject, Injectable } from '@nestjs/common';
import { type Clock, type GaugeMetric, type Logger, Metrics } from '@vuka/runtime';
import { CLOCK, LOGGER } from '@vuka/service-host';

import { CorridorStateStore } from './corridor-state.store.js';
import { CorridorSwitchStore } from './corridor-switch.store.js';

const LABELS = ['provider', 'currency', 'kind', 'network', 'state'] as const;
type Label = (typeof LABELS)[number];

interface Trouble {
  readonly labels: Readonly<Record<Label, string>>;
  /** null: told anew all the time. */
  readonly since: Date | null;
  readonly detail: string;
}

/** For people, for as long as a corridor is ill, closed, slow or switched off. */
@Injectable()
export class CorridorWatch {
  /** Set before, by their labels. */
  private readonly shown = new Map<string, Trouble['labels']>();

  constructor(
    private readonly switches: CorridorSwitchStore,
    private readonly states: CorridorStateStore,
    metrics: Metrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    metrics.gauge(
      'vuka_payments_corridor_trouble',
      '1 while a corridor is ill, closed or slow by its provider, or switched off; `all` in a label is all of them',
      LABELS,
      { collect: (gauge: GaugeMetric<Label>) => this.set(gauge) },
    );
  }

  async alert(): Promise<void> {
    const now = this.clock.now();
    for (const { labels, since, detail } of await this.troubles()) {
      const { state, ...corridor } = labels;
      const minutes = since === null ? {} : { minutes: Math.floor((now.getTime() - since.getTime()) / 60_000) };
      if (state === 'off')
        this.log.error(
          { code: 'corridor_switched_off', ...corridor, ...minutes, detail },
          'people have switched it off',
        );
      else if (state !== 'slow')
        this.log.error(
          { code: 'corridor_unhealthy', ...corridor, state, ...minutes, detail },
          'a provider does not pay a corridor as it should: others are preferred',
        );
    }
  }

  private async troubles(): Promise<Trouble[]> {
    const [off, ill, notices] = await Promise.all([
      this.switches.standing(),
      this.states.ill(),
      this.states.notices(this.clock.now()),
    ]);
    return [
      ...off.map((one) => trouble(one, 'off', one.offSince, `${one.offBy}: ${one.reason}`)),
      ...ill.map((one) => trouble({ ...one, network: one.network ?? 'none' }, 'ill', one.since, one.detail)),
      ...notices.map((one) => trouble(one, one.state, null, 'the provider says so')),
    ];
  }

  /** If the database is down, the gauge keeps its values. */
  private async set(gauge: GaugeMetric<Label>): Promise<void> {
    const troubles = await this.troubles().catch(() => null);
    if (troubles === null) return;
    for (const labels of this.shown.values()) gauge.set(labels, 0);
    for (const { labels } of troubles) {
      gauge.set(labels, 1);
      this.shown.set(Object.values(labels).join(' '), labels);
    }
  }
}

function trouble(
  { provider, currency, kind, network }: Record<'currency' | 'kind' | 'network', string | null> & { provider: string },
  state: string,
  since: Date | null,
  detail: string,
): Trouble {
  const labels = { provider, currency: currency ?? 'all', kind: kind ?? 'all', network: network ?? 'all', state };
  return { labels, since, detail };
}
