/** A number that goes up and down, told by labels: what prom-client's Gauge is. */
export interface WireGauge {
  set(labels: Readonly<Record<string, string>>, value: number): void;
}

/** What the wire counts with: `Metrics` of libs/platform, or a test's own. */
export interface WireMetrics {
  gauge(name: string, help: string, labels: readonly string[]): WireGauge;
}
