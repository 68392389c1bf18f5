import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { money, publicStatusOf, type PublicStatus, type TransactionEvent, type TransactionState } from '@vuka/domain';
import { uuidv7 } from '@vuka/runtime';

import type { TransactionTrigger } from '../machine/transaction-machine.js';
import { AMOUNT, type Harness } from './payout-harness.spec-support.js';

/** One entry per choice; condition '' = else. */
export function goldenChoices(
  page: 'payout' | 'deposit' | 'refund',
  table: number,
): (readonly [state: string, event: string, when: string, then: string])[] {
  const text = readFileSync(
    join(import.meta.dirname, '../../../../libs/domain/src/machine/golden', `${page}.md`),
    'utf8',
  );
  const block = text.split('\n\n').filter((one) => one.startsWith('|'))[table] ?? '';
  const [head = '', , ...rows] = block
    .trim()
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  return rows.flatMap(([states = '', ...cells]) =>
    cells.flatMap((cell, index) =>
      states.split(', ').flatMap((state) =>
        (head[index + 1] ?? '').split(', ').flatMap((event) =>
          cell.split(' / ').map((choice) => {
            const [, when = '', then = choice] = /^(.*?): (.*)$/.exec(choice) ?? [];
            return [state, event, when === 'else' ? '' : when, then] as const;
          }),
        ),
      ),
    ),
  );
}

const EVIDENCE = { approvedBy: ['Ann', 'Ben'], document: 'statement' };

function eventOf(type: string, when: string): TransactionEvent {
  const evidence = when === 'with evidence and two people' ? { evidence: EVIDENCE } : {};
  if (type === 'succeeded') return { type, sameReceipt: when === 'same receipt', ...evidence };
  if (type === 'not_paid_route_left' && when === 'our fault') return { type, ourFault: true };
  if (type === 'not_paid_route_left' || type === 'not_paid_last') return { type, ...evidence };
  if (type === 'deferred') return { type, provenNotTaken: when === 'proven not taken' };
  return { type } as TransactionEvent;
}

/** With all that a commit may need. */
export async function trigger(
  trip: Harness,
  type: string,
  when: string,
  of: 'current' | 'older' = 'current',
): Promise<TransactionTrigger> {
  const snapshot = (await trip.store.byId(trip.id))!;
  const history = await trip.attempts.historyOf(trip.id);
  const again = when === 'duplicate_payment is posted' ? history.duplicatePayment[0]! : undefined;
  const attemptNo = again?.attemptNo ?? (of === 'current' ? snapshot.life.attemptNo : 1);
  const receipt = again?.receiptNumber ?? 'R-new';
  const newAttempt = {
    attemptNo: snapshot.life.attemptNo + 1,
    providerReference: uuidv7(),
    provider: 'sandbox',
    wallet: 'main',
    state: 'INTENT' as const,
    amount: money(AMOUNT, 'KES'),
    nextAt: trip.clock.now(),
  };
  const starts = type === 'attempt.started' && when === '';
  return {
    event: eventOf(type, when),
    attempt: {
      isCurrent: of === 'current',
      state: history.attempts.find((attempt) => attempt.attemptNo === attemptNo)?.state ?? 'PENDING',
    },
    receipt,
    history,
    change: {
      attemptNo,
      detail: 'model',
      provider: 'sandbox',
      wallet: 'main',
      failureCode: 'rail_rejected',
      dueAt: trip.clock.now(),
      ...(starts ? { newAttempt } : { receiptNumber: receipt }),
    },
  };
}

export interface Seen {
  readonly state: TransactionState;
  readonly sequence: number;
  readonly postings: readonly string[];
  readonly incidents: number;
  readonly told: readonly unknown[];
}

/** Events without a change of public status. */
const BESIDE: Readonly<Record<string, string>> = { 'transaction.held': 'held', 'transaction.corrected': 'corrected' };

export async function check(trip: Harness): Promise<Seen> {
  const { life } = (await trip.store.byId(trip.id))!;
  const incidents = (await trip.incidents()).reduce((sum, { times }) => sum + times, 0);
  return {
    state: life.state,
    sequence: life.sequence,
    postings: await trip.posted(),
    incidents,
    told: (await trip.told()).map(([type, , status]) => BESIDE[type as string] ?? status),
  };
}

/**
 * Parses `COMPLETE payout_settled, REVERSED payout_reversed`, `!; poll again`, `record
 * duplicate_payment_returned`.
 */
export function expected(before: Seen, then: string, { paymentStands = false } = {}): Seen {
  const [words = ''] = then.split('; ');
  if (words === 'ignore' || words === 'refuse') return before;
  const isConflict = words.startsWith('!');
  const stays = isConflict || words.startsWith('record');
  const steps = stays ? [`${before.state} ${words.replace(/^(!|record) ?/, '')}`.trim()] : words.split(', ');
  let { state } = before;
  const told: (PublicStatus | 'held' | 'corrected')[] = [];
  const postings: string[] = [];
  for (const step of steps) {
    const [to = '', post = ''] = step.split(' ');
    const next = to as TransactionState;
    for (const name of post.split('+').filter((one) => one !== '')) postings.push(spelled(name, state, paymentStands));
    if (publicStatusOf(next) !== publicStatusOf(state)) told.push(publicStatusOf(next));
    // Screening stops it with its deposit; only the first late payment is reported.
    if (next === 'REVIEW' && post.includes('deposit_received')) told.push('held');
    if (
      (postings.includes('duplicate_payment') || postings.includes('refund_hold_withdrawn')) &&
      !before.told.includes('corrected')
    )
      told.push('corrected');
    state = next;
  }
  return {
    state,
    sequence: before.sequence + steps.length,
    postings: [...before.postings, ...postings.sort((a, b) => (referenceOrder(a) < referenceOrder(b) ? -1 : 1))],
    incidents: before.incidents + (isConflict ? 1 : 0),
    told: [...before.told, ...told],
  };
}

const referenceOrder = (name: string): string => name.toLowerCase().replaceAll('_', '-');

/** duplicate_payment is ours unless the partner has its money back; a wallet's money returns to the wallet. */
function spelled(name: string, state: TransactionState, paymentStands: boolean): string {
  const isOwed = (state === 'FAILED' || state === 'REVERSED') && !paymentStands;
  if (name === 'payout_released/refund_held') return 'payout_released';
  if (name === 'duplicate_payment') return isOwed ? 'duplicate_payment' : 'duplicate_payment_ours';
  if (name === 'duplicate_payment_returned')
    return isOwed ? 'duplicate_payment_returned' : 'duplicate_payment_ours_returned';
  return name;
}
