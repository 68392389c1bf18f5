import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../command/run.mjs';
import { busyShare, IDLE_SHARE } from './machine.mjs';
import { median, percent, table, whole } from './table.mjs';

const WITHIN_MS = 600_000;
/** The least share of their rate that healthy receivers must get beside unhealthy ones. */
const FULL_SPEED = 0.9;

const WAYS = [
  { what: 'some of each', kinds: ['refuses', 'silent', 'slow', 'error', 'resets'] },
  { what: 'dead: nothing listens', kinds: ['refuses'] },
  { what: 'dead: never answers', kinds: ['silent'] },
  { what: 'slow: answers after 2.9 s', kinds: ['slow'] },
  { what: 'rude: 500', kinds: ['error'] },
  { what: 'rude: resets', kinds: ['resets'] },
];

export async function measureWebhooks({ webhooks, hosts, rounds, ways = WAYS.length }, tell) {
  const rows = [];
  const run = async (kinds) => {
    const args = [join(ROOT, 'tools/bench/webhook-rate.mjs'), String(webhooks), String(hosts), ...kinds];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: WITHIN_MS, maxBuffer: 2 ** 24 });
    return JSON.parse(stdout);
  };
  const busy = await busyShare();
  let last = await run([]);
  for (const { what, kinds } of WAYS.slice(0, ways)) {
    const row = { what, well: [last], beside: [] };
    for (let round = 0; round < rounds; round += 1) {
      row.beside.push(await run(kinds));
      row.well.push((last = await run([])));
    }
    rows.push(row);
    tell(`${what}: ${whole(speedOf(row.beside))}/s beside ${whole(speedOf(row.well))}/s where all are healthy`);
  }
  return { webhooks, hosts, rounds, busy, rows };
}

const medianOf = (runs, pick) => median(runs.map(pick));
const speedOf = (runs) => medianOf(runs, ({ times }) => times.perSecond);
const shareOf = ({ well, beside }) => speedOf(beside) / speedOf(well);
const seconds = (value) => (value / 1_000).toFixed(1);
const megabytes = (bytes) => whole(bytes / 2 ** 20);

export function webhooksReport({ webhooks, hosts, rounds, busy, rows }, { machine, date }) {
  const runs = rows.flatMap(({ well, beside }, index) => [...(index === 0 ? well : well.slice(1)), ...beside]);
  const sum = (pick) => runs.reduce((total, run) => total + pick(run), 0);
  const share = (place) => percent(medianOf(rows[0].beside, ({ shares }) => shares[place]));
  const worst = Math.min(...rows.map(shareOf));
  const speeds = rows.flatMap(({ well }) => well).map(({ times }) => times.perSecond);
  return [
    '## Webhooks: one receiver in ten is dead, slow or rude',
    `${date}, ${machine}.`,
    ...(busy <= IDLE_SHARE
      ? []
      : [
          '',
          `**Others used ${percent(busy)} of the processors when it began: the rates are too low, the shares rough; to be measured again on a quiet machine.**`,
        ]),
    '',
    `${whole(webhooks)} webhooks due at once, of ${whole(hosts)} partners, each with a receiver that is a host of its own. The notifier as it is composed delivers them from a durable PostgreSQL to real sockets in another process on the same machine: signed, one POST each, each outcome committed. One host in ten is not healthy; told is how the other nine in ten fare, until 99 in 100 of their webhooks are there, beside how the same nine fare where the tenth is healthy, too (medians of ${rounds} such runs and of the ${rounds + 1} around them). POSTs at the tenth: recorded until the last of the nine had its own, out of ${whole(webhooks / 10)} that were due. Work: processor time of notifier and PostgreSQL for each webhook of the nine, what the tenth cost meanwhile included; it says something on a busy machine, too.`,
    '',
    ...table(
      [
        'one in ten',
        'all well/s',
        'beside it/s',
        'share',
        'p50 all well, s',
        'p50 beside',
        'last all well, s',
        'last beside',
        'POSTs at it',
        'work all well, ms',
        'work beside',
        'memory before, MB',
        'at most',
      ],
      rows.map((row) => {
        const { what, well, beside } = row;
        const of = (pick) => [medianOf(well, pick), medianOf(beside, pick)];
        return [
          ...[
            what,
            ...of(({ times }) => times.perSecond).map(whole),
            percent(shareOf(row)),
            ...of(({ times }) => times.p50).map(seconds),
            ...of(({ times }) => times.last).map(seconds),
          ],
          whole(medianOf(beside, ({ attempts }) => Object.values(attempts).reduce((total, count) => total + count, 0))),
          ...[
            ...of(({ workMs }) => workMs).map((ms) => ms.toFixed(2)),
            megabytes(medianOf(beside, ({ memory }) => memory.first)),
            megabytes(Math.max(...beside.map(({ memory }) => memory.most))),
          ],
        ];
      }),
    ),
    '',
    `${worst >= FULL_SPEED ? `The nine in ten keep their speed: ${percent(worst)} of it at least` : `**In the worst case the nine in ten have ${percent(worst)} of their speed**`}. Where all are well the same measurement gave ${whole(Math.min(...speeds))} to ${whole(Math.max(...speeds))} a second over these runs: that much is chance, or others on the machine.`,
    '',
    ...slowLines(rows),
    `Each of ${whole(sum(({ healthy }) => healthy))} webhooks to healthy receivers arrived, signed, its sequence in its headers; ${whole(sum(({ repeats }) => repeats.healthy))} arrived more than once there, and ${whole(sum(({ repeats }) => repeats.slow))} at slow ones, whose 2.9 s are more than 3 s at times. Of the transactions with two changes both were due at once: ${whole(sum(({ outOfOrder }) => outOfOrder))} times the newer one came first, and its sequence says so. Of one processor, the notifier used ${share(0)}, PostgreSQL ${share(1)} and the receivers ${share(2)} in the first row’s runs.`,
  ];
}

function slowLines(rows) {
  const slow = rows
    .filter(({ beside }) => beside[0].slow !== null)
    .map(
      ({ what, beside }) =>
        `${whole(medianOf(beside, (run) => run.slow.perSecond))} a second (${what}; the last after ${seconds(medianOf(beside, (run) => run.slow.last))} s)`,
    );
  return slow.length === 0 ? [] : [`The slow ones get all of theirs as well: ${slow.join(', ')}.`, ''];
}
