import { loadHttp, transferRequests } from './load.mjs';
import { startStack } from './stack.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { measureRoads } from './whole-roads.mjs';

const PROFILES = [
  { name: 'embedded', start: startVuka },
  { name: 'distributed', start: startStack },
];
const CONNECTIONS = [16, 64, 256];
const WARM_UP_ROADS = 300;

export async function measureProfiles({ rounds, seconds, warmUpSeconds, roads }, tell) {
  const best = PROFILES.map(({ name }) => ({ name, accepts: [], roads: undefined }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, profile] of PROFILES.entries()) {
      const found = await measureOne(profile, { seconds, warmUpSeconds, roads });
      const known = best[place];
      known.accepts = found.accepts.map((row, at) =>
        known.accepts[at]?.perSecond > row.perSecond ? known.accepts[at] : row,
      );
      known.roads = known.roads?.steadyPerSecond > found.roads.steadyPerSecond ? known.roads : found.roads;
      tell(
        `${profile.name}: ${found.accepts.map(({ perSecond }) => `${Math.round(perSecond)}/s`).join(', ')}; roads ${Math.round(found.roads.steadyPerSecond)}/s steady`,
      );
    }
  }
  return best;
}

async function measureOne({ start }, { seconds, warmUpSeconds, roads }) {
  const vuka = await start();
  try {
    const requests = transferRequests(vuka.partners);
    await loadHttp(vuka.baseUrl, requests, { connections: 16, seconds: warmUpSeconds });
    const accepts = [];
    for (const connections of CONNECTIONS) accepts.push(await acceptsOf(vuka, requests, connections, seconds));
    await untilQuiet(vuka);
    await measureRoads(vuka, WARM_UP_ROADS, 'warm');
    await untilQuiet(vuka);
    const straight = await measureRoads(vuka, roads, 'road');
    if (straight.arrived < roads) throw new Error(`${roads - straight.arrived} of ${roads} roads did not end in time`);
    return { accepts, roads: straight };
  } finally {
    await vuka.stop();
  }
}

async function acceptsOf(vuka, requests, connections, seconds) {
  await untilQuiet(vuka);
  const before = vuka.processor();
  const result = await loadHttp(vuka.baseUrl, requests, { connections, seconds, warmUpSeconds: 0.3 });
  const after = vuka.processor();
  const others = Object.keys(result.statuses).filter((status) => status !== '200');
  if (others.length > 0) throw new Error(`transfers were answered ${JSON.stringify(result.statuses)}`);
  const shares = Object.fromEntries(
    Object.keys(after).map((part) => [part, (after[part] - before[part]) / result.wallSeconds]),
  );
  return { connections, ...result, shares };
}
