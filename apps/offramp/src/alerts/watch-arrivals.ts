import { CHAINS } from '@vuka/domain';
import type { Clock, GaugeMetric, Logger, Metrics } from '@vuka/runtime';

import { type ArrivalStore, type ScanStore, UNCLAIMED_AFTER_MS } from '../arrivals/index.js';
import type { Switches } from '../switches/index.js';

/** A chain that is not looked through for so long is somebody's concern. */
const SCAN_PATIENCE_MS = 15 * 60_000;
const NOTED_AT_ONCE = 10_000;

/** Tells people what arrived that nobody has claimed, and which chains are not looked through for it. */
export class WatchArrivals {
  public constructor(
    private readonly arrivals: ArrivalStore,
    private readonly scans: Pick<ScanStore, 'states'>,
    private readonly served: ReadonlySet<string>,
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  public async run(): Promise<void> {
    const now = this.clock.now();
    const minutesSince = (at: Date): number => Math.floor((now.getTime() - at.getTime()) / 60_000);
    await this.arrivals.noteClaimed(now, NOTED_AT_ONCE);
    for (const { chain, count, oldestAt } of await this.arrivals.tellUnclaimed(
      new Date(now.getTime() - UNCLAIMED_AFTER_MS),
      now,
    )) {
      this.log.error(
        { code: 'arrivals_unclaimed', chain, arrivals: count, minutes: minutesSince(oldestAt) },
        'value arrived that nobody has claimed',
      );
    }
    for (const { chain, kind, troubledSince, trouble } of await this.scans.states()) {
      if (
        !this.served.has(chain) ||
        troubledSince === null ||
        now.getTime() - troubledSince.getTime() < SCAN_PATIENCE_MS
      )
        continue;
      this.log.error(
        { code: 'chain_not_scanned', chain, scan: kind, minutes: minutesSince(troubledSince), trouble },
        'a chain is not looked through for what arrives; nothing is passed over, and deposits that are claimed are looked up all the same',
      );
    }
  }
}

/** Gauges, looked up at each scrape; a database that is away leaves them as they were. */
export function measureArrivals(
  metrics: Metrics,
  {
    arrivals,
    scans,
    switches,
    clock,
  }: {
    readonly arrivals: ArrivalStore;
    readonly scans: Pick<ScanStore, 'states'>;
    readonly switches: Pick<Switches, 'all'>;
    readonly clock: Clock;
  },
): void {
  const secondsSince = (at: Date | null): number =>
    at === null ? 0 : Math.max(0, clock.now().getTime() - at.getTime()) / 1_000;
  const unclaimed = () => arrivals.unclaimedByChain(new Date(clock.now().getTime() - UNCLAIMED_AFTER_MS));
  const gauge = <T extends { readonly chain: string }>(
    name: string,
    help: string,
    read: () => Promise<readonly T[]>,
    value: (group: T) => number,
  ): void => {
    metrics.gauge(name, help, ['chain'], { collect: (one: GaugeMetric<'chain'>) => setByChain(one, read, value) });
  };
  gauge(
    'vuka_offramp_unclaimed_arrivals',
    'Arrivals at addresses of ours that nobody has claimed for half an hour, the oldest 10,000 that are worth a cent',
    unclaimed,
    ({ count }) => count,
  );
  gauge('vuka_offramp_oldest_unclaimed_arrival_seconds', 'Age of the oldest of them', unclaimed, ({ oldestAt }) =>
    secondsSince(oldestAt),
  );
  gauge(
    'vuka_offramp_set_aside_arrivals',
    'Arrivals that cannot be kept as they were told',
    () => arrivals.setAsideByChain(),
    ({ count }) => count,
  );
  gauge(
    'vuka_offramp_scan_age_seconds',
    'Since a chain was last looked through for arrivals',
    async () => (await scans.states()).filter(({ kind }) => kind === 'open'),
    ({ movedAt }) => secondsSince(movedAt),
  );
  gauge(
    'vuka_offramp_switches',
    'How much of a chain people have switched off: the chain itself, or tokens on it',
    async () => countByChain(await switches.all()),
    ({ count }) => count,
  );
}

function countByChain(rows: readonly { readonly chain: string }[]): { chain: string; count: number }[] {
  return [...new Set(rows.map(({ chain }) => chain))].map((chain) => ({
    chain,
    count: rows.filter((row) => row.chain === chain).length,
  }));
}

async function setByChain<T extends { readonly chain: string }>(
  gauge: GaugeMetric<'chain'>,
  read: () => Promise<readonly T[]>,
  value: (group: T) => number,
): Promise<void> {
  const groups = await read().catch(() => null);
  if (groups === null) return;
  for (const { name: chain } of CHAINS) {
    const group = groups.find((one) => one.chain === chain);
    gauge.set({ chain }, group === undefined ? 0 : value(group));
  }
}
