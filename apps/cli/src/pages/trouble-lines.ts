import type {
  DeadLetterView,
  IncidentView,
  OpenRefundView,
  SettlementView,
  TransactionSummary,
  UnappliedView,
} from '@vuka/admin';
import { oneLine, type Paint, textTable } from '@vuka/terminal';

import { nameOf } from './next-step.js';
import { CALL } from '../commands/help.js';
import { durationText, moneyText, plural, relativeText, timeText } from './text-values.js';

export function stepLines(steps: readonly string[], paint: Paint): string[] {
  return steps.map((step) => `${paint.dim('→')} ${paint.cyan(step)}`);
}

/** Services that did not answer: the list is incomplete. */
export function notAskedLines(notAsked: readonly string[], paint: Paint): string[] {
  return notAsked.map(
    (why) => `${paint.red('✗')} This page is incomplete, because a service could not be asked: ${oneLine(why)}`,
  );
}

/** By what the provider said and the transaction's state at that time. */
const INCIDENT_WORDS: Readonly<Record<string, string>> = {
  'succeeded COMPLETE': 'paid a second time',
  'succeeded FAILED': 'paid after it had failed',
  'succeeded REVERSED': 'paid again after it had come back',
  'not_paid_last COMPLETE': 'the provider now says that it was not paid',
  'not_paid_route_left COMPLETE': 'the provider now says that it was not paid',
};

export function incidentText({ event, state }: Pick<IncidentView, 'event' | 'state'>): string {
  if (event === 'deposit.reverted')
    return 'a deposit vanished after it had paid: its partner owes the value and is frozen';
  return INCIDENT_WORDS[`${event} ${state}`] ?? `${event.replaceAll('_', ' ')} in ${state}`;
}

export function incidentLines(incident: IncidentView, now: Date, paint: Paint): string[] {
  const { id, detail, times, at, last_at: lastAt } = incident;
  const again =
    times > 1 ? `, ${plural(times, 'time')}${lastAt === null ? '' : `, last ${relativeText(lastAt, now)}`}` : '';
  const title = `${incident.resolved_at === null ? paint.red(`incident ${id}`) : `incident ${id}`}  ${incidentText(incident)}, try #${incident.attempt_no}, ${relativeText(at, now)}${again}`;
  const closed =
    incident.resolved_at === null
      ? []
      : [
          paint.green(
            `  resolved by ${oneLine(incident.resolved_by ?? '?')}, ${relativeText(incident.resolved_at, now)}: ${oneLine(incident.resolution ?? '')}`,
          ),
        ];
  return [title, ...(detail === '' ? [] : [`  ${oneLine(detail)}`]), ...closed];
}

export function settlementLines(settlement: SettlementView, now: Date, paint: Paint): string[] {
  const { id, outcome, receipt_number: receipt, paid, evidence } = settlement;
  const verdict =
    outcome === 'cleared'
      ? 'cleared, may be paid'
      : outcome === 'paid'
        ? `paid${receipt === null ? '' : `, receipt ${oneLine(receipt)}`}${paid === null ? '' : `, in fact ${moneyText(paid)}`}`
        : 'not paid';
  const lines = [
    `settlement ${id}  ${paint.bold(verdict)}, proposed by ${oneLine(settlement.proposed_by)}, ${relativeText(settlement.proposed_at, now)}`,
    `  evidence: ${oneLine(evidence)}`,
  ];
  return [...lines, progressLine(settlement, now, paint)];
}

function progressLine(settlement: SettlementView, now: Date, paint: Paint): string {
  const approved = `  approved by ${oneLine(settlement.approved_by ?? '?')}, ${relativeText(settlement.approved_at ?? '', now)}`;
  switch (settlement.state) {
    case 'approved':
      return paint.green(approved);
    case 'scheduled':
      return paint.yellow(
        `${approved}; applied when the running call has ended${settlement.executes_by === null ? '' : `, ${relativeText(settlement.executes_by, now)} at the latest`}`,
      );
    case 'superseded':
      return paint.dim(
        `${approved}; superseded ${relativeText(settlement.withdrawn_at ?? '', now)}: ${oneLine(settlement.superseded_why ?? '')}`,
      );
    case 'withdrawn':
      return paint.dim(`  withdrawn ${relativeText(settlement.withdrawn_at ?? '', now)}`);
    case 'proposed':
      return paint.yellow('  waits for a second person');
  }
}

export function unappliedPage(rows: readonly UnappliedView[], more: boolean, now: Date, paint: Paint): string {
  if (rows.length === 0) return paint.green('Nothing is unapplied: every deposit was used.');
  const table = textTable(
    [
      { title: 'deposit' },
      { title: 'partner' },
      { title: 'value', align: 'right' },
      { title: 'asset' },
      { title: 'for', align: 'right' },
      { title: 'of' },
      { title: 'why', atMost: 60 },
    ],
    rows.map((row) => [
      String(row.deposit_id),
      String(row.partner_id),
      row.received.amount,
      row.received.currency,
      durationText(now.getTime() - Date.parse(row.at)),
      row.transaction_code,
      oneLine(row.why),
    ]),
    paint,
  );
  const goesBack = rows.some(({ state }) => state === 'refunding');
  return [
    ...table,
    ...(more ? [paint.dim('and more, which are later')] : []),
    ...(goesBack ? stepLines([`${CALL} refunds`], paint) : []),
  ].join('\n');
}

export function refundsPage(
  rows: readonly (OpenRefundView & {
    readonly trouble: string | null;
  })[],
  more: boolean,
  now: Date,
  paint: Paint,
): string {
  if (rows.length === 0) return paint.green('No refund is under way.');
  const table = textTable(
    [
      { title: 'refund' },
      { title: 'partner' },
      { title: 'value', align: 'right' },
      { title: 'asset' },
      { title: 'state' },
      { title: 'for', align: 'right' },
      { title: 'of' },
      { title: 'to' },
      { title: 'transfer' },
    ],
    rows.map((row) => [
      String(row.refund_id),
      String(row.partner_id),
      row.value.amount,
      row.value.currency,
      row.state,
      durationText(now.getTime() - Date.parse(row.created_at)),
      row.transaction_code,
      oneLine(row.address),
      oneLine(row.transaction_hash ?? ''),
    ]),
    paint,
  );
  const troubles = rows.flatMap(({ refund_id, trouble }) =>
    trouble === null ? [] : [`${paint.yellow(`refund ${String(refund_id)}`)}  ${oneLine(trouble)}`],
  );
  return [
    ...table,
    ...(more ? [paint.dim('and more, which are later')] : []),
    ...(troubles.length === 0 ? [] : ['', ...troubles]),
  ].join('\n');
}

export function deadLettersPage(
  deadLetters: readonly (DeadLetterView & { readonly next: readonly string[] })[],
  more: boolean,
  now: Date,
  paint: Paint,
): string {
  if (deadLetters.length === 0) return paint.green('No dead letters: the consumers have processed every event.');
  const blocks = deadLetters.map((deadLetter) =>
    [
      `${paint.bold(deadLetter.event_id)}  ${relativeText(deadLetter.at, now)}`,
      `  ${deadLetter.topic}, of ${oneLine(deadLetter.key)}, not processed by ${deadLetter.consumer_group}: ${paint.red(deadLetter.reason)} after ${plural(deadLetter.tries, 'try', 'tries')}`,
      `  ${oneLine(deadLetter.detail)}`,
      ...(deadLetter.replay_requested_at === null
        ? []
        : [
            paint.yellow(
              `  replay requested by ${oneLine(deadLetter.requested_by ?? '?')}, ${relativeText(deadLetter.replay_requested_at, now)}`,
            ),
          ]),
      ...stepLines(deadLetter.next, paint).map((line) => `  ${line}`),
    ].join('\n'),
  );
  return [...blocks, ...(more ? [paint.dim('and more, which are later')] : [])].join('\n\n');
}

export function whichOne(command: string, found: readonly TransactionSummary[], paint: Paint): string {
  const rows = found.map((one) => [
    String(one.id),
    one.transaction_code,
    String(one.partner_id),
    moneyText(one.amount),
    one.state,
    timeText(one.created_at),
  ]);
  return [
    ...textTable(
      [
        { title: 'id' },
        { title: 'code' },
        { title: 'partner' },
        { title: 'amount', align: 'right' },
        { title: 'state' },
        { title: 'accepted' },
      ],
      rows,
      paint,
    ),
    '',
    ...stepLines(
      found.map((one) => `${CALL} ${command} ${nameOf(one)}`),
      paint,
    ),
  ].join('\n');
}
