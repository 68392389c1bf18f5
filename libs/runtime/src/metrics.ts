import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a bounded set; never an id or a partner's text. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

export interface CounterMetric<L extends string = never> {
  add(labels: Labels<L>, by?: number): void;
}

export interface GaugeMetric<L extends string = never> {
  set(labels: Labels<L>, value: number): void;
}

export interface HistogramMetric<L extends string = never> {
  observe(labels: Labels<L>, value: number): void;
}

export interface MetricsOptions {
  /** Also process metrics (event loop lag, memory, GC): once per process. */
  readonly ofProcess?: boolean;
}

export interface GaugeOptions<L extends string> {
  /** Called at each scrape; must answer at once. */
  readonly collect?: (gauge: GaugeMetric<L>) => void | Promise<void>;
}

export interface HistogramOptions {
  /** Upper bounds, ascending; default `SECONDS`. */
  readonly buckets?: readonly number[];
}

export const SECONDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

const NAME = /^vuka_[a-z][a-z0-9]*(_[a-z0-9]+)+$/;
const LABEL = /^[a-z][a-z_]*$/;
/** Limit of label combinations; later ones count as `other`. */
const MAX_SERIES = 1_000;
const OVERFLOW = 'other';

/**
 * Own registry, so that two in one process stay separate. Names are `vuka_<thing>_<unit>`, counters end in
 * `_total`. The same name returns the existing metric; throws if kind or labels differ.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly known = new Map<string, { readonly shape: string; readonly metric: unknown }>();

  constructor(service: string, { ofProcess = false }: MetricsOptions = {}) {
    this.registry.setDefaultLabels({ service });
    if (ofProcess) collectDefaultMetrics({ register: this.registry });
  }

  counter<L extends string = never>(name: string, help: string, labels: readonly L[] = []): CounterMetric<L> {
    if (!name.endsWith('_total')) throw new Error(`a counter's name ends in _total: ${name}`);
    return this.once('counter', name, labels, () => {
      const counter = new Counter({ name, help, labelNames: [...labels], registers: [this.registry] });
      const bounded = boundedLabels(labels);
      return { add: (values: Labels<L>, by = 1) => counter.inc(bounded(values), by) };
    });
  }

  gauge<L extends string = never>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    { collect }: GaugeOptions<L> = {},
  ): GaugeMetric<L> {
    return this.once('gauge', name, labels, () => {
      const bounded = boundedLabels(labels);
      const metric: GaugeMetric<L> = { set: (values, value) => gauge.set(bounded(values), value) };
      const gauge: Gauge<L> = new Gauge({
        name,
        help,
        labelNames: [...labels],
        registers: [this.registry],
        ...(collect !== undefined && { collect: () => collect(metric) }),
      });
      return metric;
    });
  }

  histogram<L extends string = never>(
    name: string,
    help: string,
    labels: readonly L[] = [],
    { buckets = SECONDS }: HistogramOptions = {},
  ): HistogramMetric<L> {
    return this.once('histogram', name, labels, () => {
      const histogram = new Histogram({
        name,
        help,
        labelNames: [...labels],
        buckets: [...buckets],
        registers: [this.registry],
      });
      const bounded = boundedLabels(labels);
      return { observe: (values: Labels<L>, value: number) => histogram.observe(bounded(values), value) };
    });
  }

  /** Prometheus text format. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  private once<M>(kind: string, name: string, labels: readonly string[], make: () => M): M {
    const shape = `${kind}(${labels.join(',')})`;
    const known = this.known.get(name);
    if (known !== undefined) {
      if (known.shape !== shape) throw new Error(`metric ${name} is a ${known.shape} already, not a ${shape}`);
      return known.metric as M;
    }
    if (!NAME.test(name)) throw new Error(`a metric's name is vuka_<thing>_<unit>: ${name}`);
    if (!labels.every((label) => LABEL.test(label) && label !== 'service'))
      throw new Error(`metric ${name} has a label that is none`);
    const metric = make();
    this.known.set(name, { shape, metric });
    return metric;
  }
}

/** A bug with unbounded labels costs a wrong chart, but no memory. */
function boundedLabels<L extends string>(names: readonly L[]): (values: Labels<L>) => Record<L, string> {
  const seen = new Set<string>();
  const overflow = Object.fromEntries(names.map((name) => [name, OVERFLOW])) as Record<L, string>;
  return (values) => {
    const series = names.map((name) => values[name]).join('\n');
    if (!seen.has(series)) {
      if (seen.size >= MAX_SERIES) return overflow;
      seen.add(series);
    }
    return values;
  };
}
