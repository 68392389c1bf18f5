import { ONE_IN, runRoads } from './roads.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { timesOf } from './whole-roads.mjs';

/** Each wrong way there is, by its sandbox number (docs/sandbox-rail.md). `end` null: it stays in review until people decide. */
export const WRONG_WAYS = [
  { number: '0000', what: 'recipient does not exist', end: 'FAILED' },
  { number: '0001', what: 'accepted, then rejected', end: 'FAILED' },
  { number: '0002', what: 'submit times out, is paid', end: 'COMPLETE' },
  { number: '0003', what: 'submit times out, is not paid', end: 'FAILED' },
  { number: '0004', what: 'held until released', end: 'COMPLETE', control: 'release' },
  { number: '0005', what: 'paid, then reversed', end: 'REVERSED' },
  { number: '0006', what: 'paid without a name', end: 'COMPLETE' },
  { number: '0007', what: 'no float until topped up', end: 'COMPLETE', control: 'top-up' },
  { number: '0008', what: 'paid twice', end: 'COMPLETE' },
  { number: '0009', what: 'another amount: review', end: null },
  { number: '0010', what: 'first route cannot: the second pays', end: 'COMPLETE' },
];
const STRAIGHT = { number: '', what: 'none: all go straight', end: 'COMPLETE' };

/**
 * The straight roads, each wrong way, and the straight roads again, which tells how far the machine itself has drifted
 * meanwhile. A row each, in order.
 */
export async function measureWays(numbers, plan, tell) {
  const ways = WRONG_WAYS.filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  const rows = [];
  for (const way of [STRAIGHT, ...ways, STRAIGHT]) {
    const row = await measureWay(way, plan);
    rows.push(row);
    tell(`${way.number || 'straight'}: ${Math.round(row.perSecond)}/s, p99 ${Math.round(row.paced.p99)} ms at ${plan.perSecond}/s${row.lost > 0 ? `, ${row.lost} not ended as documented` : ''}`);
  }
  return rows;
}

/** A Vuka of its own for each: what one way leaves behind must not be carried on during the next. */
async function measureWay(way, { count, seconds, perSecond }) {
  const vuka = await startVuka();
  try {
    const mix = way.number === '' ? {} : { way };
    await runRoads(vuka, { count: Math.ceil(count / 8), name: 'warm' });
    await untilQuiet(vuka);
    const burst = await runRoads(vuka, { count, name: 'burst', ...mix });
    await untilQuiet(vuka);
    const paced = await runRoads(vuka, { count: seconds * perSecond, name: 'paced', perSecond, ...mix });
    const [straight, wrong] = [false, true].map((isWrong) => burst.roads.filter((road) => road.isWrong === isWrong));
    return {
      way,
      perSecond: rateOf(straight, burst.from),
      ...timesOf(straight),
      paced: timesOf(paced.roads.filter(({ isWrong }) => !isWrong)),
      wrong: timesOf(paced.roads.filter(({ isWrong }) => isWrong)),
      lost: [...straight, ...wrong, ...paced.roads].filter(({ end, endedAt }) => end !== null && endedAt === undefined).length,
    };
  } finally {
    await vuka.stop();
  }
}

/** What of the straight ones ended per second, until 99 in 100 had: a last straggler says nothing of the rate. */
function rateOf(roads, from) {
  const arrivals = roads.flatMap(({ endedAt }) => endedAt ?? []).sort((a, b) => a - b);
  const most = Math.floor(roads.length * 0.99);
  return most / (((arrivals[most - 1] ?? Infinity) - from) / 1_000);
}

/** Of the rate that all together have when all go straight, the straight ones of a mix get nine in ten where nothing slows them. */
export const STRAIGHT_SHARE = 1 - 1 / ONE_IN;
