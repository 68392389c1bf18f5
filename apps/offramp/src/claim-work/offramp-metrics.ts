import { Inject, Injectable } from '@nestjs/common';
import { CHAINS } from '@vuka/domain';
import { type Clock, type CounterMetric, type GaugeMetric, type HistogramMetric, Metrics } from '@vuka/runtime';

import { CLOCK } from '@vuka/service-host';

import { ClaimWatch, type OpenClaims, type UnfinalDeposits } from './claim-watch.js';

const CHECK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Read at each scrape. */
@Injectable()
export class OfframpMetrics {
  private readonly checks: CounterMetric<'chain' | 'outcome'>;
  private readonly checkSeconds: HistogramMetric<'chain'>;
  private readonly verdicts: CounterMetric<'chain' | 'kind' | 'reason'>;
  private readonly rechecks: CounterMetric<'chain' | 'outcome'>;
  private readonly reversals: CounterMetric<'chain'>;

  public constructor(
    metrics: Metrics,
    @Inject(ClaimWatch) watch: Pick<ClaimWatch, 'open' | 'exposed' | 'unfinal'>,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.checks = metrics.counter('vuka_offramp_checks_total', 'Checks of claims, by the answer of the chain', [
      'chain',
      'outcome',
    ]);
    this.checkSeconds = metrics.histogram(
      'vuka_offramp_check_seconds',
      'Duration of a check of a claim, without its recording',
      ['chain'],
      { buckets: CHECK_SECONDS },
    );
    this.verdicts = metrics.counter('vuka_offramp_verdicts_total', 'Ended claims, by outcome', [
      'chain',
      'kind',
      'reason',
    ]);
    const openClaims = (value: (claims: OpenClaims) => number) => ({
      collect: (gauge: GaugeMetric<'chain' | 'state'>) => setAll(gauge, watch, value),
    });
    const labels = ['chain', 'state'] as const;
    metrics.gauge(
      'vuka_offramp_open_claims',
      'Open claims: not found, or not final yet',
      labels,
      openClaims(({ count }) => count),
    );
    const ageOf = ({ oldestAt }: OpenClaims): number => Math.max(0, clock.now().getTime() - oldestAt.getTime()) / 1_000;
    metrics.gauge('vuka_offramp_oldest_claim_seconds', 'Age of the oldest open claim', labels, openClaims(ageOf));
    this.rechecks = metrics.counter(
      'vuka_offramp_rechecks_total',
      'Checks of reported deposits that may still vanish, by the answer of the chain',
      ['chain', 'outcome'],
    );
    this.reversals = metrics.counter(
      'vuka_offramp_reverted_deposits_total',
      'Deposits that vanished from their chain',
      ['chain'],
    );
    measureByChain(metrics, watch, clock);
  }

  public checked(chain: string, outcome: string, seconds: number): void {
    this.checks.add({ chain, outcome });
    this.checkSeconds.observe({ chain }, seconds);
  }

  public judged(chain: string, kind: string, reason: string): void {
    this.verdicts.add({ chain, kind, reason });
  }

  public rechecked(chain: string, outcome: string): void {
    this.rechecks.add({ chain, outcome });
  }

  public reverted(chain: string): void {
    this.reversals.add({ chain });
  }
}

function measureByChain(metrics: Metrics, watch: Pick<ClaimWatch, 'exposed' | 'unfinal'>, clock: Clock): void {
  metrics.gauge(
    'vuka_offramp_exposed_claims',
    'Claims that wait only because of the exposure limit of their partner',
    ['chain'],
    {
      collect: (gauge) =>
        setByChain(
          gauge,
          () => watch.exposed(),
          ({ count }) => count,
        ),
    },
  );
  metrics.gauge('vuka_offramp_unfinal_deposits', 'Reported deposits that may still vanish', ['chain'], {
    collect: (gauge) =>
      setByChain(
        gauge,
        () => watch.unfinal(),
        ({ count }) => count,
      ),
  });
  const since = ({ oldestAt }: UnfinalDeposits): number =>
    Math.max(0, clock.now().getTime() - oldestAt.getTime()) / 1_000;
  metrics.gauge(
    'vuka_offramp_oldest_unfinal_deposit_seconds',
    'Age of the oldest reported deposit that may still vanish',
    ['chain'],
    { collect: (gauge) => setByChain(gauge, () => watch.unfinal(), since) },
  );
}

/** Sets 0 for chains without rows. */
async function setByChain<T extends { readonly chain: string }>(
  gauge: GaugeMetric<'chain'>,
  read: () => Promise<T[]>,
  value: (group: T) => number,
): Promise<void> {
  const groups = await read().catch(() => null);
  if (groups === null) return;
  for (const { name: chain } of CHAINS) {
    const group = groups.find((one) => one.chain === chain);
    gauge.set({ chain }, group === undefined ? 0 : value(group));
  }
}

const STATES = ['open', 'seen'];

/** If the database is down, the gauge keeps its values. */
async function setAll(
  gauge: GaugeMetric<'chain' | 'state'>,
  watch: Pick<ClaimWatch, 'open'>,
  value: (claims: OpenClaims) => number,
): Promise<void> {
  const groups = await watch.open().catch(() => null);
  if (groups === null) return;
  for (const { name: chain } of CHAINS) {
    for (const state of STATES) {
      const group = groups.find((one) => one.chain === chain && one.state === state);
      gauge.set({ chain, state }, group === undefined ? 0 : value(group));
    }
  }
}
