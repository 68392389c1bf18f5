import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';

import { openDatabase } from './meter/database.mjs';
import { runRoads } from './roads.mjs';
import { median, ms, percent, table, whole } from './table.mjs';
import { startVuka, untilQuiet } from './vuka.mjs';
import { measureRoads, timesOf } from './whole-roads.mjs';

const QUIET_WITHIN_MS = 60_000;
const PER_SECOND = 40;
const READERS = 4;
const DAYS = 14;
const DAY_MS = 86_400_000;
/** Above every id of the sandbox. */
const FIRST_ID = 2n ** 40n;

/** Copies one ended payout, so that lists have rows but nothing is due or held. */
const COPY_SQL = `
insert into payments.transactions
  select r.* from payments.transactions x, generate_series(1, $3::bigint) n,
    lateral jsonb_populate_record(x, jsonb_build_object(
      'id', $2::bigint + n, 'transaction_code', 'old-' || n, 'created_at', x.created_at - n * interval '1 second')) r
  where x.id = $1`;
const DESTINATIONS_SQL = `
insert into payments.destinations
  select $2::bigint + n, kind, bank_code, bank_name, mobile_network, sealed, blind_index
  from payments.destinations, generate_series(1, $3::bigint) n where transaction_id = $1`;

export async function measureLists({ rows, payouts, rounds }, tell) {
  const vuka = await startVuka();
  try {
    await measureRoads(vuka, 200, 'warm');
    const madeIn = await fill(vuka, rows);
    tell(`${whole(rows)} rows in ${madeIn} s`);
    const pairs = [];
    for (let round = 0; round < rounds; round += 1) {
      const alone = await payoutsOf(vuka, payouts, `alone-${round}`);
      const readers = startReaders(vuka);
      const beside = await payoutsOf(vuka, payouts, `beside-${round}`);
      pairs.push({ alone, beside, lists: await readers.stop() });
      tell(`p99 ${ms(alone.p99)} ms alone, ${ms(beside.p99)} ms beside ${pairs.at(-1).lists.answered} lists`);
    }
    return { rows, payouts, rounds, pairs };
  } finally {
    await vuka.stop();
  }
}

async function fill(vuka, rows) {
  const from = performance.now();
  const database = await openDatabase(vuka.folder);
  try {
    const [{ id }] = await database.rows(
      "select max(id) as id from payments.transactions where partner_id = (select min(partner_id) from payments.transactions) and state = 'COMPLETE'",
    );
    for (const sql of [COPY_SQL, DESTINATIONS_SQL]) await database.rows(sql, [id, String(FIRST_ID), rows]);
    await database.rows('analyze payments.transactions');
  } finally {
    await database.close();
  }
  return Math.round((performance.now() - from) / 1_000);
}

/** Paced, so that a processor stays free: this measures waiting, not the processor share of the lists. */
async function payoutsOf(vuka, count, name) {
  await untilQuiet(vuka, QUIET_WITHIN_MS);
  const { roads } = await runRoads(vuka, { count, name, perSecond: PER_SECOND });
  const { ended, p50, p99 } = timesOf(roads);
  if (ended < count) throw new Error(`${count - ended} of ${count} payouts (${name}) did not end in time`);
  return { p50, p99 };
}

/** The partner with the copied rows. No row is REVERSED, so each list searches its maximum. */
function startReaders({ baseUrl, partners: [partner] }) {
  const dispatcher = new Agent({ connections: READERS });
  const counts = { answered: 0, refused: 0 };
  let refusal;
  let isOver = false;
  const day = (ago) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
  const asked = JSON.stringify({ status: 'REVERSED', start_date: day(DAYS), end_date: day(0) });
  const read = async () => {
    while (!isOver) {
      const { statusCode, body } = await request(`${baseUrl}/v1/transactions`, {
        method: 'POST',
        dispatcher,
        headers: { 'x-api-key': partner.consumer_key, 'content-type': 'application/json' },
        body: asked,
      });
      const text = await body.text();
      if (statusCode !== 200) refusal ??= text;
      counts[statusCode === 200 ? 'answered' : 'refused'] += 1;
      if (statusCode !== 200) await pause(20);
    }
  };
  const readers = Array.from({ length: READERS }, read);
  return {
    stop: async () => {
      isOver = true;
      await Promise.all(readers);
      await dispatcher.close();
      if (counts.answered === 0) throw new Error(`no list was answered: ${refusal}`);
      return counts;
    },
  };
}

export function listsReport({ rows, payouts, rounds, pairs }, { machine, date }) {
  const of = (pick) => median(pairs.map(pick));
  const line = (name, pick) => [name, ms(of(({ alone }) => pick(alone))), ms(of(({ beside }) => pick(beside)))];
  const share = (pick) => percent(of(({ alone, beside }) => pick(beside) / pick(alone)));
  const lists = pairs.reduce((sum, { lists: { answered } }) => sum + answered, 0);
  const refused = pairs.reduce((sum, { lists }) => sum + lists.refused, 0);
  return [
    '## Payouts beside lists over a million rows',
    `${date}, ${machine}.`,
    '',
    `One partner has ${whole(rows)} ended payouts, and ${READERS} of its clients look through them for a status that none has, without a pause. Beside them ${whole(payouts)} bank transfers run to their webhook, ${PER_SECOND} a second, and the same without the lists, in ${rounds} rounds (medians). ${whole(lists)} lists were answered, ${whole(refused)} refused or out of time.`,
    '',
    ...table(
      ['bank transfer, to its webhook', 'alone', 'beside'],
      [line('p50 ms', ({ p50 }) => p50), line('p99 ms', ({ p99 }) => p99)],
    ),
    '',
    `Beside the lists p50 is ${share(({ p50 }) => p50)} of what it is alone, and p99 ${share(({ p99 }) => p99)}.`,
  ];
}
