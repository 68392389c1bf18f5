import type { CounterMetric, GaugeMetric } from '@vuka/runtime';

export interface EventBusMetrics {
  gauge<L extends string = never>(name: string, help: string, labels?: readonly L[]): GaugeMetric<L>;
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): CounterMetric<L>;
}
