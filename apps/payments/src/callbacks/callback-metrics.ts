import { Injectable } from '@nestjs/common';
import { type CounterMetric, type GaugeMetric, Metrics } from '@vuka/runtime';

import type { CallbackOutcome } from './callback.store.js';

/** Of known paths only. */
type Received = 'new' | 'repeat' | 'refused';
type Resent = 'came' | 'silent' | 'refused' | 'failed';

@Injectable()
export class CallbackMetrics {
  private readonly receipts: CounterMetric<'provider' | 'what'>;
  private readonly ends: CounterMetric<'provider' | 'outcome'>;
  private readonly losses: CounterMetric<'provider'>;
  private readonly resends: CounterMetric<'provider' | 'what'>;
  private readonly oldest: GaugeMetric<'provider'>;

  constructor(metrics: Metrics) {
    this.receipts = metrics.counter('vuka_callbacks_received_total', 'Callbacks of providers, as they came in', [
      'provider',
      'what',
    ]);
    this.ends = metrics.counter('vuka_callbacks_handled_total', 'Callbacks of providers, by what became of them', [
      'provider',
      'outcome',
    ]);
    this.losses = metrics.counter(
      'vuka_callbacks_lost_total',
      'Payouts that ended by a poll, and of which nothing was called back within 15 minutes',
      ['provider'],
    );
    this.resends = metrics.counter(
      'vuka_callbacks_resent_total',
      'Lost callbacks that a provider was asked for again, by whether they came within 15 minutes',
      ['provider', 'what'],
    );
    this.oldest = metrics.gauge('vuka_callbacks_oldest_seconds', 'Age of the oldest callback that is not handled', [
      'provider',
    ]);
  }

  received(provider: string, what: Received): void {
    this.receipts.add({ provider, what });
  }

  handled(provider: string, outcome: CallbackOutcome): void {
    this.ends.add({ provider, outcome });
  }

  lost(provider: string): void {
    this.losses.add({ provider });
  }

  resent(provider: string, what: Resent): void {
    this.resends.add({ provider, what });
  }

  oldestIs(provider: string, seconds: number): void {
    this.oldest.set({ provider }, seconds);
  }
}
