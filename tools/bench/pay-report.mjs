import { IDLE_SHARE } from './machine.mjs';
import { ms, percent, table, whole } from './table.mjs';

/** Deposits' cost, beside the comparable figures of the same run. `facts`: machine, date. */
export function payReport(
  { missing, verifications, looks, accepts, roads, busy },
  { rounds, seconds },
  { machine, date },
) {
  const heading = '## Pay: payouts that deposits pay for';
  if (missing !== undefined) return [heading, `Not measured: ${missing}`];
  return [
    heading,
    `On CELO, with a real node (anvil) on the same machine; ${date}, ${machine}; best of ${rounds} rounds.`,
    ...(busy <= IDLE_SHARE
      ? []
      : [
          '',
          `**Others used up to ${percent(busy)} of the processors before parts of it began: the figures are too low, the ratios rough; to be measured again on a quiet machine.**`,
        ]),
    '',
    ...verificationLines(verifications),
    '',
    ...callLines(verifications, looks),
    '',
    ...acceptLines(accepts, seconds),
    '',
    ...roadLines(roads),
  ];
}

function verificationLines({ count, ways }) {
  return [
    `Verifications: ${whole(count)} claims taken in as fast as offramp takes them, each read, judged and committed with its verdict, durably, in one process without the other services. Bare reads: the same reader and the same transactions, 16 at a time, with nothing taken in, judged or kept. Alone: one claim, from its commit to its verdict’s. Three endpoints are one node asked three times, so it does the work of three.`,
    '',
    ...table(
      [
        'endpoints that agree',
        'verifications/s',
        'bare reads/s',
        'ratio',
        'alone p50 ms',
        'offramp',
        'PostgreSQL',
        'the node',
      ],
      ways.map(({ endpoints, agree, many, reads, alone }) => [
        `${agree} of ${endpoints}`,
        whole(many.perSecond),
        whole(reads.perSecond),
        percent(many.perSecond / reads.perSecond),
        ms(alone.ms),
        percent(many.nodeShare),
        percent(many.postgresShare),
        percent(many.chainShare),
      ]),
    ),
  ];
}

function callLines({ count, ways }, { looks, minutes }) {
  return [
    `JSON-RPC requests, to all endpoints together. What an endpoint says of its newest blocks serves all who ask within half a second, so many at once (${whole(count)}) cost less each. A claim whose transfer never comes is looked at ${whole(looks)} times in the ${whole(minutes)} minutes until it is given up.`,
    '',
    ...table(
      [
        'endpoints that agree',
        'found, alone',
        'found, many at once',
        'not found, a look alone',
        'not found, a look among many',
      ],
      ways.map(({ endpoints, agree, many, alone, absent }) => [
        `${agree} of ${endpoints}`,
        ...[alone.calls, many.calls, absent.callsAlone, absent.callsMany].map((calls) => calls.toFixed(2)),
      ]),
    ),
  ];
}

function acceptLines(accepts, seconds) {
  return [
    `Accepts: \`POST /v1/pay/kes\` beside \`POST /kes/disburse\` to the same bank accounts, in turn on one Vuka for ${seconds} s each. What is accepted is being worked on meanwhile: disbursements are paid, and of these transfers, which nobody sent, each is looked for once and failed.`,
    '',
    ...table(
      [
        'connections',
        'pay accepts/s',
        'disburse accepts/s',
        'ratio',
        'pay p50 ms',
        'p99 ms',
        'disburse p50 ms',
        'p99 ms',
        'Node, pay',
        'PostgreSQL, pay',
      ],
      accepts.map(({ connections, pay, disburse }) => [
        connections,
        whole(pay.perSecond),
        whole(disburse.perSecond),
        percent(pay.perSecond / disburse.perSecond),
        ms(pay.p50),
        ms(pay.p99),
        ms(disburse.p50),
        ms(disburse.p99),
        percent(pay.nodeShare),
        percent(pay.postgresShare),
      ]),
    ),
  ];
}

function roadLines({ pay, disburse }) {
  return [
    `Whole roads: ${whole(pay.count)} pays of as many transfers that are final, sent as fast as they are accepted and each followed to the webhook that says COMPLETE (accept, claim, verdict, provider, settlement, webhook), beside as many disbursements to the same accounts on the same Vuka.`,
    '',
    ...table(
      [
        'whole roads',
        'roads/s, all in',
        'roads/s, steady',
        'ratio',
        'accepted/s meanwhile',
        'road p50 ms',
        'road p99 ms',
        'Node',
        'PostgreSQL',
      ],
      [
        ['disburse', disburse],
        ['pay', pay],
      ].map(([name, row]) => [
        name,
        whole(row.perSecond),
        whole(row.steadyPerSecond),
        percent(row.steadyPerSecond / disburse.steadyPerSecond),
        whole(row.acceptedPerSecond),
        whole(row.p50),
        whole(row.p99),
        percent(row.nodeShare),
        percent(row.postgresShare),
      ]),
    ),
  ];
}
