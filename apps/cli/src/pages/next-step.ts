import type {
  DeadLetterView,
  FrozenView,
  GivenUpView,
  IncidentView,
  StuckView,
  TransactionReport,
  WaitingView,
} from '@vuka/admin';

import { CALL } from '../commands/help.js';

export function nameOf({
  transaction_code,
  partner_id,
}: {
  readonly transaction_code: string;
  readonly partner_id: number;
}): string {
  return `${transaction_code} --partner ${partner_id}`;
}

type Settled = Pick<WaitingView, 'transaction_code' | 'partner_id' | 'settlement_id' | 'settlement_approved_at'>;

/** Commands that settle an open outcome: the proposal, or the approval of an existing proposal. */
export function settleSteps(waiting: Settled): string[] {
  if (waiting.settlement_approved_at !== null) return [];
  if (waiting.settlement_id !== null) {
    return [`${CALL} approve ${waiting.settlement_id} --by "<a second person>"`];
  }
  return [
    `${CALL} settle ${nameOf(waiting)} --paid --receipt <receipt> --evidence "<what proves it>" --by "<you>"`,
    `${CALL} settle ${nameOf(waiting)} --not-paid --evidence "<what proves it>" --by "<you>"`,
  ];
}

/** Commands that release or end what screening stopped, or approve an existing proposal. */
export function reviewSteps(waiting: Settled & Pick<WaitingView, 'attempt_no'>): string[] {
  if (waiting.attempt_no !== null || waiting.settlement_id !== null) return settleSteps(waiting);
  return [
    `${CALL} clear ${nameOf(waiting)} --evidence "<why it may be paid>" --by "<you>"`,
    `${CALL} settle ${nameOf(waiting)} --not-paid --evidence "<why it must not be>" --by "<you>"`,
  ];
}

/** Commands per stuck thing; [] if it only has to wait. */
export const nextSteps = {
  parked: (waiting: WaitingView): string[] => [
    `${CALL} release ${nameOf(waiting)} --reason "<what you fixed>" --by "<you>"`,
  ],
  in_doubt: settleSteps,
  review: reviewSteps,
  overdue: (waiting: WaitingView): string[] => [`${CALL} show ${nameOf(waiting)}`],
  rail_not_configured: (waiting: WaitingView): string[] => [`${CALL} show ${nameOf(waiting)}`],
  incidents: (incident: IncidentView): string[] => [
    `${CALL} show ${nameOf(incident)}`,
    `${CALL} resolve ${incident.id} --by "<you>" --note "<what you found and did>"`,
  ],
  frozen: ({ partner_id: partner, by_people: people, suspended_since: suspended, incidents }: FrozenView): string[] => [
    ...(people === null ? [] : [`${CALL} unfreeze ${partner} --reason "<why it may go on>" --by "<you>"`]),
    ...(suspended === null ? [] : [`${CALL} partner-resume ${partner} --reason "<why it may go on>" --by "<you>"`]),
    ...incidents.map(({ id }) => `${CALL} resolve ${id} --by "<you>" --note "<what you found and did>"`),
  ],
  owed_by_partners: (): string[] => [],
  owed_to_us: (payment: StuckView['owed_to_us'][number]): string[] => [`${CALL} show ${nameOf(payment)}`],
  outbox_stalled: (): string[] => [],
  dead_letters: (deadLetter: DeadLetterView): string[] =>
    deadLetter.replay_requested_at === null
      ? [
          `${CALL} replay ${deadLetter.event_id} --group ${deadLetter.consumer_group} --reason "<what you fixed>" --by "<you>"`,
        ]
      : [],
  deliveries_given_up: (delivery: GivenUpView): string[] => [`${CALL} show ${nameOf(delivery)}`],
} as const;

export function stepsFor(report: TransactionReport): string[] {
  const { transaction, settlements, incidents } = report;
  const open = settlements.find(({ state }) => state === 'proposed' || state === 'scheduled');
  const named = {
    ...transaction,
    settlement_id: open?.id ?? null,
    settlement_approved_at: open?.approved_at ?? null,
    attempt_no: report.attempts.at(-1)?.attempt_no ?? null,
  };
  const steps = incidents
    .filter(({ resolved_at }) => resolved_at === null)
    .map((incident) => nextSteps.incidents(incident)[1] ?? '');
  if (transaction.state === 'QUEUED')
    steps.unshift(`${CALL} release ${nameOf(transaction)} --reason "<what you fixed>" --by "<you>"`);
  if (transaction.state === 'IN_DOUBT' || transaction.state === 'REVIEW') steps.unshift(...reviewSteps(named));
  return steps;
}

export type WithNext<T> = T & { readonly next: readonly string[] };

type StuckLists = keyof typeof nextSteps;

/** The output of `stuck --json`; every list oldest first. */
export type StuckPage = Pick<StuckView, 'cut' | 'not_asked'> & {
  readonly [K in StuckLists]: readonly WithNext<StuckView[K][number]>[];
};

export function stuckWithNext({ cut, not_asked, ...lists }: StuckView): StuckPage {
  return {
    parked: withNext(lists.parked, nextSteps.parked),
    in_doubt: withNext(lists.in_doubt, nextSteps.in_doubt),
    review: withNext(lists.review, nextSteps.review),
    overdue: withNext(lists.overdue, nextSteps.overdue),
    rail_not_configured: withNext(lists.rail_not_configured, nextSteps.rail_not_configured),
    frozen: withNext(lists.frozen, nextSteps.frozen),
    incidents: withNext(lists.incidents, nextSteps.incidents),
    owed_by_partners: withNext(lists.owed_by_partners, nextSteps.owed_by_partners),
    owed_to_us: withNext(lists.owed_to_us, nextSteps.owed_to_us),
    dead_letters: withNext(lists.dead_letters, nextSteps.dead_letters),
    deliveries_given_up: withNext(lists.deliveries_given_up, nextSteps.deliveries_given_up),
    outbox_stalled: withNext(lists.outbox_stalled, nextSteps.outbox_stalled),
    cut,
    not_asked,
  };
}

function withNext<T extends object>(rows: readonly T[], next: (row: T) => string[]): WithNext<T>[] {
  return rows.map((row) => ({ ...row, next: next(row) }));
}
