import { busyShare } from './machine.mjs';
import { ONE_IN, runRoads } from './roads.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { timesOf } from './whole-roads.mjs';

/** `end` null: stays in review until people decide. */
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

/**
 * Per failure: normal payouts beside it, and alone just before and after on the same Vuka, so that other load affects
 * both. `numbers`: default all.
 */
export async function measureWays(numbers, plan, tell) {
  const rows = [];
  for (const way of WRONG_WAYS.filter(({ number }) => numbers.length === 0 || numbers.includes(number))) {
    const row = await measureWay(way, plan);
    rows.push(row);
    const { alone, mixed, lost } = row;
    tell(
      `${way.number}: ${Math.round(mixed.perSecond)}/s beside ${Math.round(alone.perSecond)}/s alone${lost > 0 ? `, ${lost} not ended as documented` : ''}`,
    );
  }
  return rows;
}

/** A new Vuka per failure: leftovers of one must not run during the next. */
async function measureWay(way, { count, seconds, perSecond }) {
  const busy = await busyShare();
  const vuka = await startVuka();
  const run = async (name, load) => {
    await untilQuiet(vuka);
    return runRoads(vuka, { name, ...load });
  };
  try {
    await run('warm', { count: Math.ceil(count / 2) });
    const before = await run('before', { count });
    const mixed = await run('mixed', { count, way });
    const behind = await run('behind', { count });
    const paced = { count: seconds * perSecond, perSecond };
    const calm = await run('calm', paced);
    const stirred = await run('stirred', { ...paced, way });
    const all = [before, mixed, behind, calm, stirred].flatMap(({ roads }) => roads);
    return {
      way,
      busy,
      // A process gets faster over time, so compare with both before and after.
      alone: { perSecond: (rateOf(before) + rateOf(behind)) / 2, ...timesOf(straightOf(calm)) },
      mixed: { perSecond: rateOf(mixed), ...timesOf(straightOf(stirred)) },
      wrong: timesOf(stirred.roads.filter(({ isWrong }) => isWrong)),
      lost: all.filter(({ end, endedAt }) => end !== null && endedAt === undefined).length,
    };
  } finally {
    await vuka.stop();
  }
}

const straightOf = ({ roads }) => roads.filter(({ isWrong }) => !isWrong);

/** Until 99 % had ended: a last straggler says nothing about the rate. */
function rateOf(run) {
  const straight = straightOf(run);
  const incomingTransfers = straight.flatMap(({ endedAt }) => endedAt ?? []).sort((a, b) => a - b);
  const most = Math.floor(straight.length * 0.99);
  return most / (((incomingTransfers[most - 1] ?? Infinity) - run.from) / 1_000);
}

/** In a mix, normal payouts are nine in ten; unslowed, they get this share of the full rate. */
export const STRAIGHT_SHARE = 1 - 1 / ONE_IN;
