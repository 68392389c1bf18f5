import { STRAIGHT_SHARE } from './wrong-ways.mjs';

const whole = (value) => Math.round(value).toLocaleString('en-US');
const ms = (value) => value.toFixed(1);
const percent = (share) => `${Math.round(share * 100)} %`;

/** The figures as docs/benchmarks.md shows them. */
export function report(facts) {
  const { postings, accepts, ceilings, roads, plan } = facts;
  return [
    '# Benchmarks',
    '',
    `Written by \`npm run bench\` on ${facts.date}; not edited by hand. Machine: ${facts.machine}. A durable 8 KiB write takes ${ms(facts.syncMs)} ms (median, fdatasync). The run took ${facts.took}.`,
    ...(facts.idle.isIdle ? [] : ['', `**Others used ${percent(facts.idle.busy)} of the processors when the run began: the figures are too low.**`]),
    '',
    '## Accepts',
    `Bank transfers of two partners in two currencies, answered 200: key checked, validated, held and committed durably (synchronous_commit and fsync on). Best of ${plan.rounds} rounds of ${plan.seconds} s, each begun with nothing left to do; what is accepted is being paid at the same time.`,
    '',
    ...table(
      ['connections', 'accepts/s', 'p50 ms', 'p99 ms', 'raw postings/s', 'ratio', 'Node', 'PostgreSQL', 'load'],
      accepts.map((row, place) => [
        row.connections, whole(row.perSecond), ms(row.p50), ms(row.p99), whole(postings[place].perSecond), percent(row.perSecond / postings[place].perSecond),
        percent(row.nodeShare), percent(row.postgresShare), percent(row.loadShare),
      ]),
    ),
    '',
    'Shares are of one processor. The load comes from a process of its own on the same machine.',
    '',
    '## Raw batched postings, the same run',
    'Payments’ own writer committing the same acceptances straight into PostgreSQL, from one process, without HTTP, keys, validation, sealing or payouts.',
    '',
    ...table(
      ['callers', 'postings/s', 'p50 ms', 'p99 ms', 'Node', 'PostgreSQL'],
      postings.map((row) => [row.clients, whole(row.perSecond), ms(row.p50), ms(row.p99), percent(row.nodeShare), percent(row.postgresShare)]),
    ),
    '',
    '## Whole roads',
    `${whole(roads.count)} transfers sent as fast as they were accepted, each followed to the webhook that says COMPLETE: ledger, rail over HTTP (which pays after one second), polling, settlement, signed webhook to a receiver on the same machine.`,
    '',
    ...table(
      ['roads/s, all in', 'roads/s, steady', 'accepted/s meanwhile', 'road p50 ms', 'road p99 ms', 'Node', 'PostgreSQL'],
      [[whole(roads.perSecond), whole(roads.steadyPerSecond), whole(roads.acceptedPerSecond), whole(roads.p50), whole(roads.p99), percent(roads.nodeShare), percent(roads.postgresShare)]],
    ),
    '',
    ...waysReport(facts.ways, plan.ways),
    '',
    '## HTTP alone',
    '',
    ...table(['request', 'answers/s', 'p50 ms', 'p99 ms'], ceilings.map((row) => [row.what, whole(row.perSecond), ms(row.p50), ms(row.p99)])),
    '',
    '## What bounds it',
    ...bounds(facts).map((line) => `- ${line}`),
    '',
  ].join('\n');
}

/** The straight roads and those with one in ten going wrong, as ratios to each other. */
export function waysReport(rows, { count, seconds, perSecond }) {
  const first = rows[0];
  const last = rows.at(-1);
  return [
    '## Whole roads, one in ten the wrong way',
    `For each wrong way (docs/sandbox-rail.md) on a Vuka of its own: ${whole(count)} transfers as fast as they are accepted, and then ${seconds} s of ${perSecond} a second, one in ten of them to that number. What is told is how the nine in ten fare that go straight: their rate in the crowd (until 99 in 100 have their webhook), what that is of nine tenths of the first row’s rate, and from request to webhook in the crowd and at ${perSecond}/s. The last column is the wrong ones’ own way to their end, at ${perSecond}/s; \`0004\` is released and \`0007\` topped up through the sandbox control after 2 s.`,
    '',
    ...table(
      ['one in ten', 'straight/s', 'of nine tenths', 'p50 ms', 'p99 ms', `p50 ms at ${perSecond}/s`, `p99 ms at ${perSecond}/s`, 'its own end, p50 ms'],
      rows.map((row) => [
        row.way.number === '' ? row.way.what : `\`${row.way.number}\` ${row.way.what}`,
        whole(row.perSecond), row.way.number === '' ? percent(row.perSecond / first.perSecond) : percent(row.perSecond / (first.perSecond * STRAIGHT_SHARE)),
        whole(row.p50), whole(row.p99), whole(row.paced.p50), whole(row.paced.p99), row.wrong.p50 === undefined ? '–' : whole(row.wrong.p50),
      ]),
    ),
    '',
    `The first and the last row are the same measurement, at the beginning and at the end: ${whole(first.perSecond)}/s and ${whole(last.perSecond)}/s. What differs less than these two differs by chance.`,
    ...rows.filter(({ lost }) => lost > 0).map(({ way, lost }) => `\n**${lost} of \`${way.number}\` did not end as documented within the time.**`),
  ];
}

function bounds({ accepts, postings, ceilings, roads }) {
  const best = accepts.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const raw = postings.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const [, refused] = ceilings;
  const all = best.nodeShare + best.postgresShare + best.loadShare;
  const first = best.nodeShare >= 0.85 ? 'the one thread of the Node process' : all >= 1.8 ? 'both processors, shared by Node, PostgreSQL and the load' : 'waiting for durable commits, not the processors';
  const perAccept = (best.nodeShare / best.perSecond) * 1e6;
  const perRefusal = 1e6 / refused.perSecond;
  return [
    `Accepts, at ${best.connections} connections: ${first} (Node ${percent(best.nodeShare)}, PostgreSQL ${percent(best.postgresShare)}, load ${percent(best.loadShare)} of one processor each).`,
    `Node spends about ${whole(perAccept)} µs on each accept, payouts running beside it included; an HTTP request that is refused for its key takes about ${whole(perRefusal)} µs of wall time.`,
    `The writer alone reaches ${whole(raw.perSecond)} postings/s (Node ${percent(raw.nodeShare)}, PostgreSQL ${percent(raw.postgresShare)}).`,
    `Whole roads: Node ${percent(roads.nodeShare)}, PostgreSQL ${percent(roads.postgresShare)}, with sender and receiver beside them; a road is an accept, four more commits, two webhooks and at least two calls to the rail.`,
  ];
}

/** Rows under a header, padded so that a terminal shows columns and Markdown a table. */
function table(header, rows) {
  const texts = [header, ...rows.map((row) => row.map(String))];
  const widths = header.map((_, column) => Math.max(...texts.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(texts[0]), rule, ...texts.slice(1).map(line)];
}
