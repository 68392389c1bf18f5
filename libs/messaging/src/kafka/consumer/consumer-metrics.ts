import type { CounterMetric, GaugeMetric } from '@vuka/runtime';

/** What the event bus counts with: `Metrics` of libs/runtime, or a test's own. */
export interface EventBusMetrics {
  gauge<L extends string = never>(name: string, help: string, labels?: readonly L[]): GaugeMetric<L>;
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): CounterMetric<L>;
}
