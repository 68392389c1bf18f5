import { Inject, Injectable } from '@nestjs/common';
import { CHAINS } from '@vuka/domain';
import { type Clock, type GaugeMetric, Metrics } from '@vuka/runtime';
import { CLOCK } from '@vuka/service-host';

import { type OpenRefunds, RefundWatch } from './refund-watch.js';

const STATES = ['queued', 'prepared', 'signed', 'broadcast', 'ending'];

@Injectable()
export class RefundMetrics {
  public constructor(
    metrics: Metrics,
    @Inject(RefundWatch) watch: Pick<RefundWatch, 'open'>,
    @Inject(CLOCK) clock: Clock,
  ) {
    const collect = (value: (group: OpenRefunds) => number) => ({
      collect: (gauge: GaugeMetric<'chain' | 'state'>) => setAll(gauge, watch, value),
    });
    metrics.gauge(
      'vuka_offramp_open_refunds',
      'Open refunds by state: to be prepared, to be signed, signed, sent, or ending after a proof that they cannot arrive',
      ['chain', 'state'],
      collect(({ count }) => count),
    );
    const ageOf = ({ oldestAt }: OpenRefunds): number =>
      Math.max(0, clock.now().getTime() - oldestAt.getTime()) / 1_000;
    metrics.gauge(
      'vuka_offramp_oldest_refund_seconds',
      'Age of the oldest open refund; for signed ones since their signature',
      ['chain', 'state'],
      collect(ageOf),
    );
  }
}

/** If the database is down, the gauge keeps its values. */
async function setAll(
  gauge: GaugeMetric<'chain' | 'state'>,
  watch: Pick<RefundWatch, 'open'>,
  value: (group: OpenRefunds) => number,
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
