import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../command/run.mjs';
import { busyShare, IDLE_SHARE } from './machine.mjs';
import { ms, percent, table, whole } from './table.mjs';

const WITHIN_MS = 600_000;
const MOST_MS = 1_000;

export async function measureOrders({ orders, ticks, deposits }, tell) {
  const busy = await busyShare();
  const args = [join(ROOT, 'tools/bench/order-scan.mjs'), ...[orders, ticks, deposits].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WITHIN_MS, maxBuffer: 2 ** 24 });
  const measured = JSON.parse(stdout);
  for (const { orders: count, agree, endpoints, p50, p99 } of measured.ways ?? [])
    tell(`${whole(count)} orders, ${agree} of ${endpoints} agree: ${ms(p50)} ms, 99 in 100 within ${ms(p99)} ms`);
  return { ...measured, busy };
}

export function ordersReport({ missing, ticks, deposits, newOrders, roundTrips, ways, busy }, { machine, date }) {
  const heading = '## Orders: looks at a chain on which many wait';
  if (missing !== undefined) return [heading, `Not measured: ${missing}`];
  const [one] = ways;
  const slowest = Math.max(...ways.map(({ p99 }) => p99));
  return [
    heading,
    `On CELO, with a real node (anvil) on the same machine; ${date}, ${machine}.`,
    ...(busy <= IDLE_SHARE
      ? []
      : [
          '',
          `**Others used ${percent(busy)} of the processors when it began: the times are too long, the ratios rough; to be measured again on a quiet machine.**`,
        ]),
    '',
    `A tick of the scan: its page taken, the chain’s heights, the addresses, the logs, and the commit with incoming_transfers and claims, durably, in one process without the other services. Before each of ${whole(ticks)} ticks a block with ${whole(deposits)} deposits to orders (one where there is one order) and ${whole(newOrders)} orders more are made. All EVM chains have the same addresses, so a tick of any of them costs this. Ratio: to one order. A plain question to the node takes ${ms(roundTrips.p50)} ms (p99 ${ms(roundTrips.p99)}).`,
    '',
    ...table(
      [
        'open orders',
        'endpoints that agree',
        'tick p50 ms',
        'p99 ms',
        'longest',
        'ratio p50',
        'ratio p99',
        'plain questions, p50',
        'calls a tick',
      ],
      ways.map(({ orders, endpoints, agree, p50, p99, most, calls }) => [
        whole(orders),
        `${agree} of ${endpoints}`,
        ms(p50),
        ms(p99),
        ms(most),
        `${(p50 / one.p50).toFixed(1)} ×`,
        `${(p99 / one.p99).toFixed(1)} ×`,
        whole(p50 / roundTrips.p50),
        calls.toFixed(1),
      ]),
    ),
    '',
    `99 in 100 ticks end within ${ms(slowest)} ms: ${slowest <= MOST_MS ? 'within the second that is promised' : '**more than the second that is promised**'}.`,
  ];
}
