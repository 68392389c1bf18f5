import { runRoads } from './roads.mjs';

/**
 * `perSecond`: first request to last COMPLETE webhook, with the provider's second. `steadyPerSecond`: the middle four
 * fifths of receipts.
 */
export async function measureRoads(vuka, count, name, asked) {
  const { from, acceptedBy, roads, nodeShare, postgresShare } = await runRoads(vuka, { count, name, asked });
  const incomingTransfers = roads.flatMap(({ endedAt }) => endedAt ?? []).sort((a, b) => a - b);
  const [tenth, ninetieth] = [incomingTransfers[Math.floor(count * 0.1)], incomingTransfers[Math.floor(count * 0.9)]];
  const times = timesOf(roads);
  return {
    count,
    arrived: incomingTransfers.length,
    acceptedPerSecond: count / ((acceptedBy - from) / 1_000),
    perSecond: incomingTransfers.length / (((incomingTransfers.at(-1) ?? Infinity) - from) / 1_000),
    steadyPerSecond: (count * 0.8) / ((ninetieth - tenth) / 1_000),
    ...times,
    nodeShare,
    postgresShare,
  };
}

export function timesOf(roads) {
  const times = roads
    .flatMap(({ sentAt, endedAt }) => (endedAt === undefined ? [] : [endedAt - sentAt]))
    .sort((a, b) => a - b);
  return { ended: times.length, p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}
