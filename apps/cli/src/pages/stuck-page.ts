import type { FrozenView, StalledOutbox, IncidentView, WaitingView } from '@vuka/admin';
import { type Column, oneLine, type Paint, textTable } from '@vuka/terminal';

import { CALL } from '../commands/help.js';
import type { StuckPage, WithNext } from './next-step.js';
import { durationText, moneyText, plural, relativeText, timeText } from './text-values.js';
import { incidentText, notAskedLines, stepLines } from './trouble-lines.js';

interface Section<T> {
  readonly title: string;
  readonly advice: string;
  readonly columns: readonly Column[];
  readonly row: (thing: T, now: Date) => string[];
}

type SectionName = Exclude<keyof StuckPage, 'cut' | 'not_asked'>;
type Thing<Name extends SectionName> = StuckPage[Name][number];

const WAITING_COLUMNS: readonly Column[] = [
  { title: 'code' },
  { title: 'partner' },
  { title: 'amount', align: 'right' },
  { title: 'for', align: 'right' },
  { title: 'provider' },
];
const WHY: Column = { title: 'why', atMost: 70 };

const waitingCells = (waiting: WaitingView, now: Date): string[] => [
  waiting.transaction_code,
  String(waiting.partner_id),
  moneyText(waiting.amount),
  ageOf(waiting.since, now),
  waiting.provider === null ? '' : `${waiting.provider} #${waiting.attempt_no ?? 0}`,
];

const SECTIONS: { readonly [Name in SectionName]: Section<Thing<Name>> } = {
  review: {
    title: 'In review: the provider contradicts itself, or screening stopped it; people decide',
    advice:
      'Ask the provider about our id there (show prints it). Then one person settles with evidence, or clears a payment that screening stopped. A second person approves.',
    columns: [...WAITING_COLUMNS, { title: 'proposal' }, WHY],
    row: (waiting, now) => [...waitingCells(waiting, now), proposalOf(waiting), oneLine(waiting.why)],
  },
  in_doubt: {
    title: 'In doubt: Vuka does not know whether it was paid',
    advice:
      'Vuka keeps asking the provider, and most end by themselves. Settle only with proof. IN_DOUBT has no deadline.',
    columns: [...WAITING_COLUMNS, { title: 'asked', align: 'right' }, { title: 'next' }, { title: 'proposal' }, WHY],
    row: (waiting, now) => [
      ...waitingCells(waiting, now),
      `${waiting.polls}×`,
      nextOf(waiting, now),
      proposalOf(waiting),
      oneLine(waiting.why),
    ],
  },
  parked: {
    title: 'Parked: no provider accepts it now',
    advice:
      'Fix the cause: float, credentials or the corridor. Vuka tries it again by itself; release tries it at once. It fails at its deadline.',
    columns: [...WAITING_COLUMNS, { title: 'next' }, { title: 'fails' }, WHY],
    row: (waiting, now) => [
      ...waitingCells(waiting, now),
      nextOf(waiting, now),
      waiting.until === null ? '' : relativeText(waiting.until, now),
      oneLine(waiting.why),
    ],
  },
  overdue: {
    title: 'Overdue: it is due, and no process works on it',
    advice: 'Is Vuka running? Is the machine at its limit? Its log says why (docs/operators/runbook.md).',
    columns: [...WAITING_COLUMNS, { title: 'state' }, { title: 'due' }],
    row: (waiting, now) => [...waitingCells(waiting, now), waiting.state, nextOf(waiting, now)],
  },
  rail_not_configured: {
    title: 'Waiting for a provider that is not configured here',
    advice:
      'Configure that provider again: only it knows whether these were paid. Until then they wait, and nothing is paid twice.',
    columns: [...WAITING_COLUMNS, { title: 'state' }],
    row: (waiting, now) => [...waitingCells(waiting, now), waiting.state],
  },
  frozen: {
    title: 'Frozen: no payouts start for these partners; queued payouts wait',
    advice:
      'Frozen by people: unfreeze. Suspended: partner-resume. Frozen by an incident (a deposit vanished after it had paid): check its chain and talk to the partner. Resolving the last incident lifts the freeze; a debt stays.',
    columns: [
      { title: 'partner' },
      { title: 'for', align: 'right' },
      { title: 'held back', align: 'right' },
      { title: 'by', atMost: 80 },
    ],
    row: (one: FrozenView, now) => [
      String(one.partner_id),
      ageOf(one.since, now),
      plural(one.held_back, 'payout'),
      heldBy(one).join('; '),
    ],
  },
  incidents: {
    title: 'Open incidents: something happened that must never happen',
    advice: 'Look at the transaction, talk to the provider, then record what you did.',
    columns: [
      { title: 'incident' },
      { title: 'code' },
      { title: 'partner' },
      { title: 'for', align: 'right' },
      { title: 'what' },
      { title: 'times', align: 'right' },
      { title: 'detail', atMost: 60 },
    ],
    row: (incident: IncidentView, now) => [
      String(incident.id),
      incident.transaction_code,
      String(incident.partner_id),
      ageOf(incident.at, now),
      incidentText(incident),
      `${incident.times}×`,
      oneLine(incident.detail),
    ],
  },
  owed_to_us: {
    title: 'Paid twice: Vuka must get the second payment back from the provider (suspense)',
    advice: 'Claim each receipt from the provider. When the money comes back, Vuka corrects the ledger by itself.',
    columns: [
      { title: 'code' },
      { title: 'partner' },
      { title: 'amount', align: 'right' },
      { title: 'for', align: 'right' },
      { title: 'provider' },
      { title: 'receipt to claim' },
    ],
    row: (payment, now) => [
      payment.transaction_code,
      String(payment.partner_id),
      moneyText(payment.amount),
      ageOf(payment.posted_at, now),
      `${payment.provider} #${payment.attempt_no}`,
      oneLine(payment.receipt_number),
    ],
  },
  owed_by_partners: {
    title: 'Owed by partners: a payment was made after its refund, or its deposit vanished (receivable)',
    advice: 'Vuka collects it from the next money in the wallet. If the wallet stays empty, talk to the partner.',
    columns: [
      { title: 'partner' },
      { title: 'owes', align: 'right' },
      { title: 'for', align: 'right' },
      { title: 'from' },
    ],
    row: (debt, now) => [
      String(debt.partner_id),
      moneyText(debt.owed),
      debt.since === null ? '' : ageOf(debt.since, now),
      debt.transaction_codes.join(', '),
    ],
  },
  dead_letters: {
    title: 'Dead letters: events that a consumer could not process',
    advice: 'Fix the cause in the consumer, then replay. Other events were processed without them.',
    columns: [
      { title: 'event' },
      { title: 'reader' },
      { title: 'of' },
      { title: 'for', align: 'right' },
      { title: 'reason' },
      { title: 'replay' },
      { title: 'detail', atMost: 60 },
    ],
    row: (deadLetter, now) => [
      deadLetter.event_id,
      deadLetter.consumer_group,
      oneLine(deadLetter.key),
      ageOf(deadLetter.at, now),
      deadLetter.reason,
      deadLetter.replay_requested_at === null ? '' : 'requested',
      oneLine(deadLetter.detail),
    ],
  },
  deliveries_given_up: {
    title: 'Webhooks that were given up after the last try',
    advice: 'The partner does not know of these changes. Tell the partner that its receiver does not answer.',
    columns: [
      { title: 'code' },
      { title: 'partner' },
      { title: 'event' },
      { title: 'given up' },
      { title: 'tries', align: 'right' },
      { title: 'to' },
    ],
    row: (delivery, now) => [
      delivery.transaction_code,
      String(delivery.partner_id),
      delivery.event,
      delivery.settled_at === null ? '' : relativeText(delivery.settled_at, now),
      String(delivery.attempts),
      oneLine(delivery.host),
    ],
  },
  outbox_stalled: {
    title: 'Events held back: they are in the outbox, and no consumer reads them',
    advice:
      'A stopped Vuka reads them at its next start. In a running one, a database transaction stays open or the consumer fails: see its log.',
    columns: [{ title: 'reader' }, { title: 'oldest' }, { title: 'why' }],
    row: (group: StalledOutbox, now) => [
      group.consumer_group,
      group.oldest_at === null ? '' : relativeText(group.oldest_at, now),
      oneLine(group.why),
    ],
  },
};

/** Many of one kind have one cause; more commands would hide the other kinds. */
const STEPS_SHOWN = 3;

export function stuckPage(page: StuckPage, now: Date, paint: Paint): string {
  const names = (Object.keys(SECTIONS) as SectionName[]).filter((name) => page[name].length > 0);
  if (names.length === 0 && page.not_asked.length === 0)
    return paint.green('Nothing is stuck: no payment, event or webhook waits for a person.');
  const blocks = names.map((name) =>
    sectionText(SECTIONS[name] as Section<never>, page[name], page.cut.includes(name), now, paint),
  );
  const whole = paint.dim(
    `As of ${timeText(now.toISOString())}. To see one transaction in full: ${CALL} show <code> --partner <n>`,
  );
  return [...notAskedLines(page.not_asked, paint), ...blocks, whole].join('\n\n');
}

function sectionText(
  section: Section<never>,
  things: readonly WithNext<object>[],
  isCut: boolean,
  now: Date,
  paint: Paint,
): string {
  const count = `${things.length}${isCut ? ' and more' : ''}`;
  const rows = things.map((thing) => section.row(thing as never, now));
  const steps = things.flatMap(({ next }) => next);
  const left = steps.length - STEPS_SHOWN * Math.max(1, things[0]?.next.length ?? 1);
  const shown = left > 0 ? steps.slice(0, steps.length - left) : steps;
  return [
    `${paint.yellow(paint.bold(section.title))}  ${paint.bold(count)}`,
    ...textTable(section.columns, rows, paint).map((line) => `  ${line}`),
    `  ${paint.dim(section.advice)}`,
    ...stepLines(shown, paint).map((line) => `  ${line}`),
    ...(left > 0 ? [`  ${paint.dim(`… and ${plural(left, 'command')} of the same kind (--json shows all)`)}`] : []),
  ].join('\n');
}

function ageOf(at: string, now: Date): string {
  return durationText(now.getTime() - Date.parse(at));
}

function nextOf({ next_check_at: at }: WaitingView, now: Date): string {
  return at === null ? '' : relativeText(at, now);
}

function proposalOf({ settlement_id: id, settlement_approved_at: approvedAt }: WaitingView): string {
  if (id === null) return '';
  return approvedAt === null ? `${id}, not approved` : `${id}, waits for the running call`;
}

function heldBy({ by_people: people, suspended_since: suspended, incidents }: FrozenView): string[] {
  return [
    ...(people === null ? [] : [`${oneLine(people.by)}: ${oneLine(people.reason)}`]),
    ...(suspended === null ? [] : ['suspended']),
    ...incidents.map(({ id, transaction_code: code, detail }) => `incident ${id}, ${code}: ${oneLine(detail)}`),
  ];
}
