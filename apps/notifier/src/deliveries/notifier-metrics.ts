import { Inject, Injectable } from '@nestjs/common';
import { type Clock, type CounterMetric, type GaugeMetric, type HistogramMetric, Metrics } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type DeliveryQueueOverview, DeliveryQueueStore } from './delivery-queue.store.js';

/** Gauges are queried at each scrape. */
@Injectable()
export class NotifierMetrics {
  private readonly attempts: CounterMetric<'outcome'>;
  private readonly durations: HistogramMetric;

  constructor(metrics: Metrics, deliveryQueues: DeliveryQueueStore, @Inject(CLOCK) clock: Clock) {
    this.attempts = metrics.counter('vuka_notifier_attempts_total', 'Webhooks that were posted, by outcome', [
      'outcome',
    ]);
    this.durations = metrics.histogram(
      'vuka_notifier_attempt_seconds',
      'Duration of a POST, until its answer or failure',
    );
    const gauge = (name: string, help: string, value: (overview: DeliveryQueueOverview, now: Date) => number): void =>
      void metrics.gauge(name, help, [], { collect: (metric) => set(metric, deliveryQueues, clock.now(), value) });
    gauge(
      'vuka_notifier_oldest_waiting_seconds',
      'Time that the next delivery queue has waited for its turn',
      ({ waitingSince }, now) => age(waitingSince, now),
    );
    gauge(
      'vuka_notifier_oldest_held_seconds',
      'Time that the oldest delivery to an unreachable receiver is overdue',
      ({ heldSince }, now) => age(heldSince, now),
    );
    gauge(
      'vuka_notifier_held_delivery_queues',
      'Partners and hosts with unreachable receivers, whose deliveries are held back',
      ({ heldDeliveryQueues }) => heldDeliveryQueues,
    );
  }

  public attempted({
    status,
    error,
    durationMs,
  }: {
    readonly status: number | null;
    readonly error: string | null;
    readonly durationMs: number;
  }): void {
    this.attempts.add({ outcome: status === null ? (error ?? 'internal') : `${Math.floor(status / 100)}xx` });
    this.durations.observe({}, durationMs / 1_000);
  }
}

function age(since: Date | null, now: Date): number {
  return since === null ? 0 : Math.max(0, now.getTime() - since.getTime()) / 1_000;
}

/** If the database is away, the gauge keeps its value. */
async function set(
  gauge: GaugeMetric,
  deliveryQueues: Pick<DeliveryQueueStore, 'overview'>,
  now: Date,
  value: (overview: DeliveryQueueOverview, now: Date) => number,
): Promise<void> {
  const overview = await deliveryQueues.overview().catch(() => null);
  if (overview !== null) gauge.set({}, value(overview, now));
}
