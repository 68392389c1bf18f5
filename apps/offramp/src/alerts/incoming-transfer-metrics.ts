import { Inject, Injectable } from '@nestjs/common';
import { CHAINS } from '@vuka/domain';
import { type Clock, type GaugeMetric, Metrics } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { IncomingTransferStore, ScanStore, UNCLAIMED_AFTER_MS } from '../incoming-transfers/index.js';
import { Switches } from '../switches/index.js';

/** If the database is down, gauges keep their values. */
@Injectable()
export class IncomingTransferMetrics {
  public constructor(
    metrics: Metrics,
    @Inject(IncomingTransferStore)
    incomingTransfers: Pick<IncomingTransferStore, 'unclaimedByChain' | 'setAsideByChain'>,
    @Inject(ScanStore) scans: Pick<ScanStore, 'states'>,
    @Inject(Switches) switches: Pick<Switches, 'all'>,
    @Inject(CLOCK) clock: Clock,
  ) {
    const secondsSince = (at: Date | null): number =>
      at === null ? 0 : Math.max(0, clock.now().getTime() - at.getTime()) / 1_000;
    const unclaimed = () => incomingTransfers.unclaimedByChain(new Date(clock.now().getTime() - UNCLAIMED_AFTER_MS));
    const gauge = <T extends { readonly chain: string }>(
      name: string,
      help: string,
      read: () => Promise<readonly T[]>,
      value: (group: T) => number,
    ): void => {
      metrics.gauge(name, help, ['chain'], { collect: (one: GaugeMetric<'chain'>) => setByChain(one, read, value) });
    };
    gauge(
      'vuka_offramp_unclaimed_incoming_transfers',
      'Transfers to our addresses that nobody has claimed for half an hour: the oldest 10,000 that are worth a cent or more',
      unclaimed,
      ({ count }) => count,
    );
    gauge(
      'vuka_offramp_oldest_unclaimed_incoming_transfer_seconds',
      'Age of the oldest unclaimed transfer',
      unclaimed,
      ({ oldestAt }) => secondsSince(oldestAt),
    );
    gauge(
      'vuka_offramp_set_aside_incoming_transfers',
      'Incoming transfers that could not be stored as reported',
      () => incomingTransfers.setAsideByChain(),
      ({ count }) => count,
    );
    gauge(
      'vuka_offramp_scan_age_seconds',
      'Time since the last scan of a chain for incoming transfers',
      async () => (await scans.states()).filter(({ kind }) => kind === 'open'),
      ({ movedAt }) => secondsSince(movedAt),
    );
    gauge(
      'vuka_offramp_switches',
      'Switches that are off: the chain itself, or tokens on it',
      async () => countByChain(await switches.all()),
      ({ count }) => count,
    );
  }
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
