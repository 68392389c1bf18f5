import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../run.mjs';
import { busyShare, IDLE_SHARE } from './machine.mjs';
import { percent, table, whole } from './table.mjs';

const WITHIN_MS = 600_000;
/** Of what the healthy ones get alone, this much at least is theirs beside the others. */
const FULL_SPEED = 0.9;

/** What one in ten receivers is; the first row has some of each. */
const WAYS = [
  { what: 'some of each', kinds: ['refuses', 'silent', 'slow', 'error', 'resets'] },
  { what: 'dead: nothing listens', kinds: ['refuses'] },
  { what: 'dead: never answers', kinds: ['silent'] },
  { what: 'slow: answers after 2.9 s', kinds: ['slow'] },
  { what: 'rude: 500', kinds: ['error'] },
  { what: 'rude: resets', kinds: ['resets'] },
];

/** Webhooks that are due at once to receivers of which one in ten is dead, slow or rude, and to the healthy ones alone just before and after. */
export async function measureWebhooks({ webhooks, hosts, ways = WAYS.length }, tell) {
  const rows = [];
  const run = async (kinds) => {
    const args = [join(ROOT, 'tools/bench/webhook-rate.mjs'), String(webhooks), String(hosts), ...kinds];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WITHIN_MS, maxBuffer: 2 ** 24 });
    return JSON.parse(stdout);
  };
  const busy = await busyShare();
  let before = await run([]);
  for (const { what, kinds } of WAYS.slice(0, ways)) {
    const beside = await run(kinds);
    const after = await run([]);
    rows.push({ what, before, beside, after });
    tell(`${what}: ${whole(beside.times.perSecond)}/s beside ${whole(rateAlone({ before, after }))}/s alone`);
    before = after;
  }
  return { webhooks, hosts, busy, rows };
}

/** What was before and what came behind stand on both sides of it: others on the machine touch all three. */
const rateAlone = ({ before, after }) => (before.times.perSecond + after.times.perSecond) / 2;
const shareOf = (row) => row.beside.times.perSecond / rateAlone(row);
const seconds = (value) => (value / 1_000).toFixed(1);
const megabytes = (bytes) => whole(bytes / 2 ** 20);

/** `facts`: machine, date. */
export function webhooksReport({ webhooks, hosts, busy, rows }, { machine, date }) {
  const runs = rows.flatMap(({ before, beside }) => [before, beside]);
  const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0);
  const [mixed] = rows;
  const worst = Math.min(...rows.map(shareOf));
  const alone = rows.flatMap(({ before, after }) => [before, after]).map(({ times }) => times.perSecond);
  return [
    '## Webhooks: one receiver in ten is dead, slow or rude',
    `${date}, ${machine}.`,
    ...(busy <= IDLE_SHARE ? [] : ['', `**Others used ${percent(busy)} of the processors when it began: the rates are too low, the shares rough; to be measured again on a quiet machine.**`]),
    '',
    `${whole(webhooks)} webhooks due at once, of ${whole(hosts)} partners, each with a receiver that is a host of its own. The notifier as it is composed delivers them from a durable PostgreSQL to real sockets in another process on the same machine: signed, one POST each, each outcome committed. One host in ten is not healthy; told is how the healthy nine in ten fare, until 99 in 100 of their webhooks are there, beside how they fare where the tenth is not there at all (the mean of a run before and one after). POSTs at the others: recorded until the last healthy one had its own, out of ${whole(webhooks / 10)} that were due. Work: processor time of notifier and PostgreSQL for each webhook to a healthy one, what the others cost meanwhile included; it says something on a busy machine, too.`,
    '',
    ...table(
      ['one in ten', 'alone/s', 'beside it/s', 'share', 'p50 alone, s', 'p50 beside', 'last alone, s', 'last beside', 'POSTs at it', 'work alone, ms', 'work beside', 'memory before, MB', 'at most'],
      rows.map((row) => {
        const { what, before, beside, after } = row;
        const mean = (pick) => (pick(before.times) + pick(after.times)) / 2;
        return [
          what, whole(rateAlone(row)), whole(beside.times.perSecond), percent(shareOf(row)), seconds(mean(({ p50 }) => p50)), seconds(beside.times.p50),
          seconds(mean(({ last }) => last)), seconds(beside.times.last), whole(Object.values(beside.attempts).reduce((total, count) => total + count, 0)),
          ((before.workMs + after.workMs) / 2).toFixed(2), beside.workMs.toFixed(2), megabytes(beside.memory.first), megabytes(beside.memory.most),
        ];
      }),
    ),
    '',
    `${worst >= FULL_SPEED ? 'The healthy ones get theirs at full speed' : `**In the worst case the healthy ones have ${percent(worst)} of their speed**`}; alone, the same measurement gave ${whole(Math.min(...alone))} to ${whole(Math.max(...alone))} a second over these runs: that much is chance, or others on the machine.`,
    '',
    ...slowLines(rows),
    `Each of ${whole(sum(({ healthy }) => healthy))} webhooks to healthy receivers arrived, signed, its sequence in its headers; ${whole(sum(({ repeats }) => repeats.healthy))} arrived more than once there, and ${whole(sum(({ repeats }) => repeats.slow))} at slow ones, whose 2.9 s are more than 3 s at times. Of the transactions with two changes both were due at once: ${whole(sum(({ outOfOrder }) => outOfOrder))} times the newer one came first, and its sequence says so. Of one processor, the notifier used ${percent(mixed.beside.shares[0])}, PostgreSQL ${percent(mixed.beside.shares[1])} and the receivers ${percent(mixed.beside.shares[2])} in the first row’s run.`,
  ];
}

/** Slow ones are healthy, too: all of theirs arrive, in time of their own. */
function slowLines(rows) {
  const slow = rows.filter(({ beside }) => beside.slow !== null).map(({ what, beside }) => `${whole(beside.slow.perSecond)} a second (${what}; the last after ${seconds(beside.slow.last)} s)`);
  return slow.length === 0 ? [] : [`The slow ones get all of theirs as well: ${slow.join(', ')}.`, ''];
}
