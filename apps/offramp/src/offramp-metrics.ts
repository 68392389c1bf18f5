import type { Clock, CounterMetric, HistogramMetric, Metrics } from '@vuka/platform';

import type { ClaimWatch } from './store/claim-watch.js';

/** From a node on this machine to the bound of a look. */
const LOOK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** What offramp tells Prometheus; the gauges are looked up at each scrape. */
export class OfframpMetrics {
  private readonly looks: CounterMetric<'chain' | 'outcome'>;
  private readonly lookSeconds: HistogramMetric<'chain'>;
  private readonly verdicts: CounterMetric<'chain' | 'kind' | 'reason'>;

  public constructor(metrics: Metrics, watch: Pick<ClaimWatch, 'open'>, clock: Clock) {
    this.looks = metrics.counter('vuka_offramp_looks_total', 'Looks at claims, by what the chain said', ['chain', 'outcome']);
    this.lookSeconds = metrics.histogram('vuka_offramp_look_seconds', 'How long a look at a claim takes, recording apart', ['chain'], { buckets: LOOK_SECONDS });
    this.verdicts = metrics.counter('vuka_offramp_verdicts_total', 'What claims came to', ['chain', 'kind', 'reason']);
    const labels = ['chain', 'state'] as const;
    const oldest = metrics.gauge('vuka_offramp_oldest_claim_seconds', 'Age of the oldest claim that is open', labels);
    const told = new Map<string, { chain: string; state: string }>();
    metrics.gauge('vuka_offramp_open_claims', 'Claims that are open: not found or not final yet', labels, {
      collect: async (gauge) => {
        const groups = await watch.open();
        // What is gone is none, and does not stay at its last value.
        for (const series of told.values()) {
          gauge.set(series, 0);
          oldest.set(series, 0);
        }
        for (const { chain, state, count, oldestAt } of groups) {
          told.set(`${chain} ${state}`, { chain, state });
          gauge.set({ chain, state }, count);
          oldest.set({ chain, state }, Math.max(0, clock.now().getTime() - oldestAt.getTime()) / 1_000);
        }
      },
    });
  }

  public looked(chain: string, outcome: string, seconds: number): void {
    this.looks.add({ chain, outcome });
    this.lookSeconds.observe({ chain }, seconds);
  }

  public judged(chain: string, kind: string, reason: string): void {
    this.verdicts.add({ chain, kind, reason });
  }
}
