import type {
  AttemptView,
  DestinationView,
  PostingView,
  TransactionPage,
  TransactionSummary,
  TransitionView,
  WebhookView,
} from '@vuka/admin';
import { type Column, oneLine, type Paint, textTable } from '@vuka/terminal';

import { foldRepeats } from './fold-repeats.js';
import { stepsFor } from './next-step.js';
import { clockText, durationText, moneyText, plural, relativeText, timeText } from './text-values.js';
import { incidentLines, settlementLines, stepLines } from './trouble-lines.js';

export function showPage(page: TransactionPage, now: Date, paint: Paint): string {
  const { transaction } = page;
  const day = transaction.created_at.slice(0, 10);
  return [
    ...head(page, now, paint),
    ...section('Timeline', timeline(page, day, paint), paint),
    ...section('Attempts', attempts(page.attempts, now, paint), paint),
    ...section('Deposits', deposits(page, now, paint), paint),
    ...section('Money', money(page, paint), paint),
    ...section('Paid again', duplicatePayment(page, now, paint), paint),
    ...section(
      'Incidents',
      page.incidents.flatMap((incident) => incidentLines(incident, now, paint)),
      paint,
    ),
    ...section(
      'Settlements',
      page.settlements.flatMap((settlement) => settlementLines(settlement, now, paint)),
      paint,
    ),
    ...section('Webhooks', webhooks(page, now, paint), paint),
    ...section('What you can do', stepLines(stepsFor(page), paint), paint),
  ].join('\n');
}

function section(title: string, lines: readonly string[], paint: Paint): string[] {
  return lines.length === 0 ? [] : ['', paint.bold(title), ...lines.map((line) => `  ${line}`)];
}

export function statusText({ status, state }: Pick<TransactionSummary, 'status' | 'state'>, paint: Paint): string {
  const text = state === status || status === 'PENDING' ? state : `${status} (${state})`;
  const isOpen = status === 'PROCESSING' || status === 'PENDING';
  return paint.bold(status === 'COMPLETE' ? paint.green(text) : isOpen ? paint.yellow(text) : paint.red(text));
}

function head({ transaction, pay }: TransactionPage, now: Date, paint: Paint): string[] {
  const t = transaction;
  const facts: [string, string | null][] = [
    ['to', destinationText(t.destination) + (t.recipient_name === null ? '' : `, ${oneLine(t.recipient_name)}`)],
    [
      'paid by',
      pay === null
        ? null
        : `${pay.chain} ${oneLine(pay.transaction_hash)}${pay.asset === null ? '' : `, in ${oneLine(pay.asset)}`}${pay.released_at === null ? '' : ', released'}`,
    ],
    ['refund to', pay?.refund_address ? oneLine(pay.refund_address) : null],
    [
      'fees',
      `service fee ${moneyText(t.service_fee)}${/[1-9]/.test(t.fee.amount) ? `, markup ${moneyText(t.fee)}` : ''}`,
    ],
    ['receipt', t.receipt_number === null ? null : oneLine(t.receipt_number)],
    ['failure', t.failure_code],
    ['message', oneLine(t.message)],
    [
      'accepted',
      `${timeText(t.created_at)} (${relativeText(t.created_at, now)}), last moved ${relativeText(t.updated_at, now)}`,
    ],
    ['due', t.due_at === null ? null : relativeText(t.due_at, now)],
    [
      'fails',
      t.park_deadline === null
        ? null
        : `${relativeText(t.park_deadline, now)}, unless a provider takes it before (${timeText(t.park_deadline)})`,
    ],
    ['request', t.request_id],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    `${paint.bold(t.transaction_code)}   ${moneyText(t.amount)}   ${statusText(t, paint)}   ${paint.dim(`partner ${t.partner_id}, id ${t.id}, ${t.operation.replaceAll('_', ' ')}`)}`,
    ...facts.flatMap(([name, text]) => (text === null ? [] : [`  ${paint.dim(name.padEnd(width))}  ${text}`])),
  ];
}

function destinationText(to: DestinationView): string {
  switch (to.kind) {
    case 'bank':
      return `account ${to.account_number ?? '?'} at ${to.bank_name ?? 'a bank'}${to.bank_code === null ? '' : ` (${to.bank_code})`}`;
    case 'mobile':
      return `phone ${to.shortcode ?? '?'}${to.mobile_network === null ? '' : ` (${to.mobile_network})`}`;
    case 'paybill':
      return `paybill ${to.shortcode ?? '?'}, account ${to.account_number ?? '?'}`;
    default:
      return `${to.kind} ${to.shortcode ?? to.account_number ?? '?'}`;
  }
}

/** `tries`: the first to the last attempt of a folded stretch. */
function foldedTable<T extends { readonly attempt_no: number }>(
  columns: readonly Column[],
  things: readonly T[],
  parts: { readonly sameness: (thing: T) => string; readonly row: (thing: T) => readonly string[] },
  paint: Paint,
): string[] {
  const stretches = foldRepeats(things, parts.sameness);
  const lines = textTable(
    columns,
    stretches.flatMap(({ kind, items }) => (kind === 'shown' ? items.map(parts.row) : [])),
    paint,
  );
  const [title, ...rows] = lines;
  const told = stretches.flatMap((stretch) => {
    if (stretch.kind === 'shown') return rows.splice(0, stretch.items.length);
    const [first, last] = [stretch.items[0], stretch.items.at(-1)];
    return [
      paint.dim(
        `… ${plural(stretch.times, 'time')} the same, tries #${first?.attempt_no ?? 0} to #${last?.attempt_no ?? 0}`,
      ),
    ];
  });
  return title === undefined ? told : [title, ...told];
}

function timeline(
  { timeline: moves, timeline_left_out: leftOut }: TransactionPage,
  day: string,
  paint: Paint,
): string[] {
  const before = new Map(moves.map((move, index) => [move, moves[index - 1]]));
  const row = (move: TransitionView): string[] => {
    const waited = Date.parse(move.at) - Date.parse(before.get(move)?.at ?? move.at);
    return [
      move.at.startsWith(day) ? clockText(move.at) : `${move.at.slice(5, 10)} ${clockText(move.at)}`,
      waited < 1_000 ? '' : paint.dim(`+${durationText(waited)}`),
      move.from === move.to ? paint.dim(`· ${move.to}`) : move.to,
      move.event,
      move.attempt_no === 0 ? '' : `#${move.attempt_no}`,
      oneLine(move.detail),
    ];
  };
  const older = leftOut > 0 ? [paint.dim(`(${leftOut} older ones left out)`)] : [];
  const columns: Column[] = [
    { title: `${day} UTC` },
    { title: '', align: 'right' },
    { title: 'state' },
    { title: 'because of' },
    { title: 'try' },
    { title: 'detail' },
  ];
  const sameness = ({ from, to, event, detail }: TransitionView): string => `${from ?? ''}>${to} ${event} ${detail}`;
  return [...older, ...foldedTable(columns, moves, { sameness, row }, paint)];
}

function attempts(rows: readonly AttemptView[], now: Date, paint: Paint): string[] {
  if (rows.length === 0) return [];
  const columns: Column[] = [
    { title: 'try' },
    { title: 'provider' },
    { title: 'our id there' },
    { title: 'their own id' },
    { title: 'state' },
    { title: 'amount', align: 'right' },
    { title: 'asked', align: 'right' },
    { title: 'next look' },
    { title: 'receipt' },
    { title: 'detail' },
  ];
  const row = (attempt: AttemptView): string[] => [
    `#${attempt.attempt_no}`,
    attempt.provider,
    attempt.provider_reference,
    oneLine(attempt.provider_payment_id ?? ''),
    attempt.state + (attempt.ended_by === null || PLAIN_ENDS.has(attempt.ended_by) ? '' : ` (${attempt.ended_by})`),
    moneyText(attempt.amount),
    `${attempt.polls}×`,
    nextLook(attempt, now),
    oneLine(attempt.receipt_number ?? ''),
    oneLine(attempt.detail),
  ];
  const sameness = ({ provider, state, ended_by: end, next_check_at: next, detail }: AttemptView): string =>
    `${provider} ${state} ${end ?? ''} ${next === null} ${detail}`;
  return foldedTable(columns, rows, { sameness, row }, paint);
}

const PLAIN_ENDS: ReadonlySet<string> = new Set(['succeeded', 'not_paid', 'refused']);

/** An ended attempt is polled for a while, because its result may change. An open one nobody polls waits for people. */
function nextLook(attempt: AttemptView, now: Date): string {
  const isOver = attempt.state === 'PAID' || attempt.state === 'NOT_PAID';
  if (attempt.next_check_at === null) return isOver ? '' : 'never';
  return isOver ? `watched, ${relativeText(attempt.next_check_at, now)}` : relativeText(attempt.next_check_at, now);
}

function deposits({ deposits: rows }: TransactionPage, now: Date, paint: Paint): string[] {
  if (rows.length === 0) return [];
  return textTable(
    [
      { title: 'deposit' },
      { title: 'received', align: 'right' },
      { title: 'asset' },
      { title: 'rate', align: 'right' },
      { title: 'value' },
      { title: 'heard of' },
    ],
    rows.map((row) => [
      String(row.deposit_id),
      row.received.amount,
      row.received.currency,
      row.rate,
      row.refund === null ? row.state : `${row.state}, refund ${row.refund.refund_id} ${row.refund.state}`,
      relativeText(row.at, now),
    ]),
    paint,
  );
}

function money({ postings, hold }: TransactionPage, paint: Paint): string[] {
  const legs = postings.flatMap((posting: PostingView) =>
    posting.legs.map((leg, index) => [
      index === 0 ? posting.reference : '',
      index === 0 ? clockText(posting.at) : '',
      leg.from,
      '→',
      leg.to,
      moneyText(leg.amount),
    ]),
  );
  const table =
    legs.length === 0
      ? []
      : textTable(
          [
            { title: 'posting' },
            { title: 'at' },
            { title: 'from' },
            { title: '' },
            { title: 'to' },
            { title: 'amount', align: 'right' },
          ],
          legs,
          paint,
        );
  const words = { open: 'held now', posted: 'was held, then spent', voided: 'was held, then given back' };
  return hold === null ? table : [...table, paint.dim(`${moneyText(hold.amount)} ${words[hold.state]}`)];
}

function duplicatePayment({ duplicate_payment: rows }: TransactionPage, now: Date, paint: Paint): string[] {
  if (rows.length === 0) return [];
  const table = textTable(
    [
      { title: 'receipt' },
      { title: 'try' },
      { title: 'provider' },
      { title: 'amount', align: 'right' },
      { title: 'seen' },
      { title: 'owed by' },
      { title: '' },
    ],
    rows.map((row) => [
      oneLine(row.receipt_number),
      `#${row.attempt_no}`,
      row.provider,
      moneyText(row.amount),
      relativeText(row.posted_at, now),
      row.owed_by === 'partner' ? `partner ${row.partner_id}` : 'the provider, to Vuka',
      row.unwound_at === null ? paint.red('stands') : `came back ${relativeText(row.unwound_at, now)}`,
    ]),
    paint,
  );
  return table;
}

function webhooks({ webhooks: rows, transaction }: TransactionPage, now: Date, paint: Paint): string[] {
  if (rows === null) return [paint.red('notifier could not be asked')];
  if (rows.length === 0)
    return [paint.dim(transaction.callback_host === null ? 'none: the request named no callback URL' : 'none yet')];
  return textTable(
    [
      { title: 'no' },
      { title: 'event' },
      { title: 'state' },
      { title: 'tries', align: 'right' },
      { title: 'last answer' },
      { title: 'next' },
      { title: 'to' },
    ],
    rows.map((hook) => [
      String(hook.sequence),
      hook.event,
      hookState(hook.state, paint),
      String(hook.attempts),
      lastAnswer(hook, now),
      hook.next_attempt_at === null ? '' : relativeText(hook.next_attempt_at, now),
      oneLine(hook.host),
    ]),
    paint,
  );
}

function hookState(state: string, paint: Paint): string {
  if (state === 'delivered') return paint.green(state);
  return state === 'exhausted' ? paint.red('given up') : state === 'ended' ? paint.red('ended (410)') : state;
}

function lastAnswer({ posts }: WebhookView, now: Date): string {
  const last = posts.at(-1);
  if (last === undefined) return '';
  return `${last.status === null ? (last.error ?? 'none') : `HTTP ${last.status}`} in ${durationText(last.duration_ms)}, ${relativeText(last.started_at, now)}`;
}
