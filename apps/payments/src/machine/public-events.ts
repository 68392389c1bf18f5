import type { EventType, TransactionCallback } from '@vuka/contracts';
import { publicStatusOf, type PublicStatus, type TransactionState } from '@vuka/domain';
import { newEnvelope } from '@vuka/messaging';

import type { Change } from './change.js';
import {
  correctionOf,
  givenOf,
  type LatePayment,
  messageBeside,
  paymentTold,
  type TransactionSnapshot,
} from '../transactions/index.js';
import type { PaymentCommit, Posting, TransactionLife } from '../commit/index.js';

type ToldEvent = Extract<
  EventType,
  `transaction.${'processing' | 'complete' | 'failed' | 'reversed' | 'held' | 'corrected'}`
>;

/** One public sequence, one webhook. */
export interface Told {
  readonly type: ToldEvent;
  readonly status: PublicStatus;
  readonly payment?: LatePayment;
}

const STATUS_EVENTS: Readonly<Record<Exclude<PublicStatus, 'PENDING'>, ToldEvent>> = {
  PROCESSING: 'transaction.processing',
  COMPLETE: 'transaction.complete',
  FAILED: 'transaction.failed',
  REVERSED: 'transaction.reversed',
};

export function changeTold(status: PublicStatus): Told {
  if (status === 'PENDING') throw new Error('a transaction never goes back to PENDING');
  return { type: STATUS_EVENTS[status], status };
}

/** Events without a change of public status; `state` is the commit's last. */
export function toldBeside(
  snapshot: TransactionSnapshot,
  state: TransactionState,
  postings: readonly Pick<Posting, 'kind'>[],
  change: Change,
): Told[] {
  const status = publicStatusOf(state);
  // Only a verdict is reported as held, because screening wants people to decide. A provider's contradiction is not.
  if (state === 'REVIEW' && snapshot.life.state !== 'REVIEW' && change.verdict !== undefined)
    return [{ type: 'transaction.held', status }];
  const payment = firstLatePayment(snapshot, state, postings, change);
  return payment === null ? [] : [{ type: 'transaction.corrected', status, payment }];
}

/**
 * The first payment after an end without one: owed by the partner (duplicate_payment, duplicate_payment_owed), or
 * paid by its deposit (refund_hold_withdrawn).
 */
function firstLatePayment(
  { details, latePayment }: TransactionSnapshot,
  state: TransactionState,
  postings: readonly Pick<Posting, 'kind'>[],
  change: Change,
): LatePayment | null {
  const {
    history: { duplicatePayment },
    receipt,
    at,
  } = change;
  const has = (name: string): boolean => postings.some(({ kind }) => kind === name);
  if ((state !== 'FAILED' && state !== 'REVERSED') || latePayment !== null || duplicatePayment.some(({ owed }) => owed))
    return null;
  if ((has('duplicate_payment') || has('refund_hold_withdrawn')) && receipt !== undefined)
    return {
      receiptNumber: receipt,
      amount: givenOf(details),
      at,
      cameBackAt: null,
      isOwed: has('duplicate_payment'),
    };
  const standing = has('duplicate_payment_owed') ? duplicatePayment.find(({ unwound }) => !unwound) : undefined;
  return standing === undefined
    ? null
    : { receiptNumber: standing.receiptNumber, amount: standing.amount, at, cameBackAt: null, isOwed: true };
}

/** With the snapshot for the webhook. `message`: of the commit's status. */
export function toldEvent(
  { details }: TransactionSnapshot,
  life: TransactionLife,
  { type, status, payment }: Told,
  message: string,
  sequence: number,
  at: Date,
): PaymentCommit['outbox'][number] {
  const { receiptNumber, publicName } = paymentTold(life);
  const payload: TransactionCallback = {
    status,
    transaction_code: details.transactionCode,
    message: messageBeside(payment ?? null, message),
    ...(receiptNumber === null ? {} : { receipt_number: receiptNumber }),
    ...(publicName === null ? {} : { public_name: publicName }),
    ...(life.failureCode === null || status !== 'FAILED' ? {} : { failure_code: life.failureCode }),
    ...(payment === undefined ? {} : { correction: correctionOf(payment) }),
  };
  return newEnvelope({
    type,
    key: String(details.id),
    sequence,
    occurredAt: at,
    correlationId: details.requestId,
    causationId: details.traceparent,
    producer: 'payments',
    data: {
      transaction_id: details.id,
      partner_id: details.partnerId,
      callback_url: details.callbackUrl,
      public_sequence: sequence,
      payload,
    },
  });
}
