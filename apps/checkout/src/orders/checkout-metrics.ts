import { Inject, Injectable } from '@nestjs/common';
import { CHAINS } from '@vuka/domain';
import { type Clock, type CounterMetric, type GaugeMetric, Metrics } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type OpenOrders, OrderWatch } from './order-watch.js';

@Injectable()
export class CheckoutMetrics {
  private readonly ends: CounterMetric<'chain' | 'state' | 'reason'>;

  public constructor(metrics: Metrics, watch: OrderWatch, @Inject(CLOCK) clock: Clock) {
    this.ends = metrics.counter('vuka_checkout_ended_orders_total', 'Ended orders, by outcome', [
      'chain',
      'state',
      'reason',
    ]);
    const gauge = (name: string, help: string, value: (orders: OpenOrders, now: Date) => number): void =>
      void metrics.gauge(name, help, ['chain'], { collect: (metric) => setByChain(metric, watch, clock.now(), value) });
    gauge('vuka_checkout_open_orders', 'Open orders', ({ count }) => count);
    gauge(
      'vuka_checkout_oldest_past_end_seconds',
      'Time since the end of the oldest order that is still open',
      ({ oldestEnd }, now) => (oldestEnd === null ? 0 : Math.max(0, now.getTime() - oldestEnd.getTime()) / 1_000),
    );
  }

  public ended(chain: string, state: string, reason: string): void {
    this.ends.add({ chain, state, reason: reason === '' ? 'none' : reason });
  }
}

/** Sets 0 for chains without rows. If the database is down, the gauge keeps its values. */
async function setByChain(
  gauge: GaugeMetric<'chain'>,
  watch: Pick<OrderWatch, 'open'>,
  now: Date,
  value: (orders: OpenOrders, now: Date) => number,
): Promise<void> {
  const groups = await watch.open(now).catch(() => null);
  if (groups === null) return;
  for (const { name: chain } of CHAINS) {
    const group = groups.find(({ network }) => network === chain);
    gauge.set({ chain }, group === undefined ? 0 : value(group, now));
  }
}
