import { macsReport } from './event-macs.mjs';
import { guessedKeysReport } from './guessed-keys.mjs';
import { meterReport, msOfUnit } from './meter/meter.mjs';
import { ordersReport } from './orders.mjs';
import { payReport } from './pay-report.mjs';
import { ms, percent, table, whole } from './table.mjs';
import { listsReport } from './lists.mjs';
import { webhooksReport } from './webhooks.mjs';
import { STRAIGHT_SHARE } from './wrong-ways.mjs';

export function report(facts) {
  const { postings, sealing, accepts, ceilings, roads, plan } = facts;
  return [
    '# Benchmarks',
    '',
    `Written by \`npm run bench\` on ${facts.date}; not edited by hand. Machine: ${facts.machine}. A durable 8 KiB write takes ${ms(facts.syncMs)} ms (median, fdatasync). The run took ${facts.took}.`,
    ...(facts.idle.isIdle
      ? []
      : [
          '',
          `**Others used ${percent(facts.idle.busy)} of the processors when the run began: the figures are too low.**`,
        ]),
    '',
    ...meterReport(facts.meter),
    '',
    ...acceptsReport(accepts, postings, plan),
    '',
    ...postingsReport(postings, sealing),
    '',
    ...roadsReport(roads),
    '',
    ...profilesReport(facts.profiles, plan),
    '',
    ...payReport(facts.pay, plan, facts),
    '',
    ...ordersReport(facts.orders, facts),
    '',
    ...webhooksReport(facts.webhooks, facts),
    '',
    ...listsReport(facts.lists, facts),
    '',
    ...guessedKeysReport(facts.guessedKeys, facts),
    '',
    ...waysReport(facts.ways, plan.ways),
    '',
    ...macsReport(facts.macs, msOfUnit(facts.meter, 'bank transfer, as services')),
    '',
    '## HTTP alone',
    '',
    ...table(
      ['request', 'answers/s', 'p50 ms', 'p99 ms'],
      ceilings.map((row) => [row.what, whole(row.perSecond), ms(row.p50), ms(row.p99)]),
    ),
    '',
    '## What bounds it',
    ...bounds(facts).map((line) => `- ${line}`),
    '',
  ].join('\n');
}

function acceptsReport(accepts, postings, { rounds, seconds }) {
  return [
    '## Accepts',
    `Bank transfers of two partners in two currencies, answered 200: key checked, validated, held and committed durably (synchronous_commit and fsync on). Best of ${rounds} rounds of ${seconds} s, each begun with nothing left to do; what is accepted is being paid at the same time.`,
    '',
    ...table(
      ['connections', 'accepts/s', 'p50 ms', 'p99 ms', 'raw postings/s', 'ratio', 'Node', 'PostgreSQL', 'load'],
      accepts.map((row, place) => [
        row.connections,
        whole(row.perSecond),
        ms(row.p50),
        ms(row.p99),
        whole(postings[place].perSecond),
        percent(row.perSecond / postings[place].perSecond),
        percent(row.nodeShare),
        percent(row.postgresShare),
        percent(row.loadShare),
      ]),
    ),
    '',
    'Shares are of one processor. The load comes from a process of its own on the same machine.',
  ];
}

function postingsReport(postings, { blocks, rows, seconds }) {
  return [
    '## Raw batched postings, the same run',
    'Payments’ own writer committing the same acceptances straight into PostgreSQL, from one process, without HTTP, keys, validation, sealing or payouts.',
    '',
    ...table(
      ['callers', 'postings/s', 'p50 ms', 'p99 ms', 'Node', 'PostgreSQL'],
      postings.map((row) => [
        row.clients,
        whole(row.perSecond),
        ms(row.p50),
        ms(row.p99),
        percent(row.nodeShare),
        percent(row.postgresShare),
      ]),
    ),
    '',
    `The seal over ${whole(rows)} of these postings, in ${blocks} blocks, took PostgreSQL ${ms((seconds / rows) * 1_000_000)} ms of one processor for each 1,000.`,
  ];
}

function roadsReport(roads) {
  return [
    '## Whole roads',
    `${whole(roads.count)} transfers sent as fast as they were accepted, each followed to the webhook that says COMPLETE: ledger, provider over HTTP (which pays after one second), polling, settlement, signed webhook to a receiver on the same machine.`,
    '',
    ...table(
      [
        'roads/s, all in',
        'roads/s, steady',
        'accepted/s meanwhile',
        'road p50 ms',
        'road p99 ms',
        'Node',
        'PostgreSQL',
      ],
      [
        [
          whole(roads.perSecond),
          whole(roads.steadyPerSecond),
          whole(roads.acceptedPerSecond),
          whole(roads.p50),
          whole(roads.p99),
          percent(roads.nodeShare),
          percent(roads.postgresShare),
        ],
      ],
    ),
  ];
}

export function profilesReport(profiles, { roads }) {
  const [embedded] = profiles;
  const shares = ({ node, postgres, kafka, redis }) => [
    percent(node),
    percent(postgres),
    ...[kafka, redis].map((share) => (share === undefined ? '–' : percent(share))),
  ];
  return [
    '## Embedded beside distributed',
    `The same transfers on both profiles in turn, on the same two processors: one process of everything, and a process of each of the six services with Kafka (acks all), Redis and internal HTTP between them. Best of two rounds each, ${new Date().toISOString().slice(0, 10)}; whole roads are ${whole(roads)} transfers as above.`,
    '',
    ...table(
      ['accepts', 'accepts/s', 'ratio', 'p50 ms', 'p99 ms', 'services', 'PostgreSQL', 'Kafka', 'Redis'],
      profiles.flatMap(({ name, accepts }) =>
        accepts.map((row, at) => [
          `${name}, ${row.connections} connections`,
          whole(row.perSecond),
          percent(row.perSecond / embedded.accepts[at].perSecond),
          ms(row.p50),
          ms(row.p99),
          ...shares(row.shares),
        ]),
      ),
    ),
    '',
    ...table(
      ['whole roads', 'roads/s, all in', 'roads/s, steady', 'ratio', 'road p50 ms', 'road p99 ms'],
      profiles.map(({ name, roads: row }) => [
        name,
        whole(row.perSecond),
        whole(row.steadyPerSecond),
        percent(row.steadyPerSecond / embedded.roads.steadyPerSecond),
        whole(row.p50),
        whole(row.p99),
      ]),
    ),
    '',
    'On a machine of its own each service has its own processors; here they share two, so the ratio tells what the hops cost, not what a deployment can do.',
  ];
}

export function waysReport(rows, { count, seconds, perSecond }) {
  const alone = rows.map((row) => row.alone.perSecond).sort((a, b) => a - b);
  return [
    '## Whole roads, one in ten the wrong way',
    `For each wrong way (docs/partners/sandbox.md) on a Vuka of its own: ${whole(count)} transfers as fast as they are accepted, all straight, as many with one in ten to that number, and all straight again; then straight and mixed once more for ${seconds} s at ${perSecond} a second. Told is how those fare that go straight: their rate in the crowd, until 99 in 100 have their webhook, as a share of what they would have if the wrong ones cost no more than straight ones (nine tenths of the rate alone, the mean of before and after); and the time from request to webhook at ${perSecond}/s, beside and alone. The last column is the wrong ones’ own way to their end; \`0004\` is released and \`0007\` topped up through the sandbox control after 2 s, and \`0009\` waits for people.`,
    '',
    ...table(
      [
        'one in ten',
        'alone/s',
        'beside it/s',
        'share',
        'p50 alone',
        'p50 beside',
        'p99 alone',
        'p99 beside, ms',
        'its own p50, ms',
      ],
      rows.map(({ way, alone, mixed, wrong }) => [
        `\`${way.number}\` ${way.what}`,
        ...[
          whole(alone.perSecond),
          whole(mixed.perSecond),
          percent(mixed.perSecond / (alone.perSecond * STRAIGHT_SHARE)),
        ],
        ...[
          whole(alone.p50),
          whole(mixed.p50),
          whole(alone.p99),
          whole(mixed.p99),
          wrong.p50 === undefined ? '–' : whole(wrong.p50),
        ],
      ]),
    ),
    '',
    `All straight, the same measurement gave ${whole(alone[0])} to ${whole(alone.at(-1))} roads/s over these runs: that much is chance, or others on the machine, who used up to ${percent(Math.max(...rows.map(({ busy }) => busy)))} of its processors before a run began.`,
    ...rows
      .filter(({ lost }) => lost > 0)
      .map(
        ({ way, lost }) =>
          `\n**${lost} transfers of the run for \`${way.number}\` did not end as documented within the time.**`,
      ),
  ];
}

function bounds({ idle, accepts, postings, ceilings, roads }) {
  const best = accepts.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const raw = postings.reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const [, refused] = ceilings;
  const all = best.nodeShare + best.postgresShare + best.loadShare;
  const first = !idle.isIdle
    ? 'the machine, which others used as well'
    : best.nodeShare >= 0.85
      ? 'the one thread of the Node process'
      : all >= 1.8
        ? 'both processors, shared by Node, PostgreSQL and the load'
        : 'waiting for durable commits, not the processors';
  const perAccept = (best.nodeShare / best.perSecond) * 1e6;
  const perRefusal = 1e6 / refused.perSecond;
  return [
    `Accepts, at ${best.connections} connections: ${first} (Node ${percent(best.nodeShare)}, PostgreSQL ${percent(best.postgresShare)}, load ${percent(best.loadShare)} of one processor each).`,
    `Node spends about ${whole(perAccept)} µs on each accept, payouts running beside it included; an HTTP request that is refused for its key takes about ${whole(perRefusal)} µs of wall time.`,
    `The writer alone reaches ${whole(raw.perSecond)} postings/s (Node ${percent(raw.nodeShare)}, PostgreSQL ${percent(raw.postgresShare)}).`,
    `Whole roads: Node ${percent(roads.nodeShare)}, PostgreSQL ${percent(roads.postgresShare)}, with sender and receiver beside them; a road is an accept, four more commits, two webhooks and at least two calls to the provider.`,
  ];
}
