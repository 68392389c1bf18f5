import { isFinalAttempt, type TransactionState } from '@vuka/domain';
import type { ProviderAnswer, ProviderPayment } from '@vuka/payouts';

import type { History } from '../transactions/index.js';
import type { TransactionLife } from '../commit/index.js';

/** Proven by the provider's promise about ids that it does not find. */
export const NEVER_TAKEN = {
  outcome: 'not_paid',
  code: 'rail_unavailable',
  routeLeft: true,
  detail: 'the provider does not know our id, and would by now',
} as const satisfies ProviderAnswer;

/** All answers but a failed query, and one that comes later. */
export type ProviderEvent =
  | Exclude<ProviderAnswer, { outcome: 'query_failed' | 'asked' | 'succeeded' }>
  // The adapter compared amount and recipient with the instruction.
  | Omit<Extract<ProviderAnswer, { outcome: 'succeeded' }>, 'amount' | 'recipient'>;

/** `more`: the answer has further payments, so poll again at once. */
export interface PaymentUpdate {
  readonly answer: ProviderEvent;
  readonly receipt: string | null;
  readonly more: boolean;
}

const SETTLED: ReadonlySet<TransactionState> = new Set<TransactionState>(['COMPLETE', 'REVERSED']);

/** `onePayment`: the provider has one payment under an id (ProviderCapabilities.onePaymentPerId). */
interface KnownBefore {
  readonly paymentStands?: boolean;
  readonly onePayment?: boolean;
}

/**
 * null: nothing new. A provider may pay more than once under one id, each with its own receipt: payout_settled stands
 * for one, duplicate_payment for each other. Receipts are unique only within one attempt.
 */
export function updateOf(
  answer: ProviderEvent,
  attemptNo: number,
  life: TransactionLife,
  history: History,
  { paymentStands = false, onePayment = false }: KnownBefore = {},
): PaymentUpdate | null {
  if (answer.outcome !== 'succeeded' && answer.outcome !== 'reversed') return { answer, receipt: null, more: false };
  const fresh = paymentsOf(answer, attemptNo, life, history, onePayment).filter((payment) =>
    isUpdate(payment, attemptNo, life, history, paymentStands),
  );
  // A payment that stands comes first; returns matter only if none stands.
  if (!SETTLED.has(life.state)) fresh.sort((a, b) => Number(a.reversed) - Number(b.reversed));
  const [first] = fresh;
  if (!first) return null;
  // REVIEW posts nothing: polling again would give the same.
  return {
    answer: tellingOf(answer, first),
    receipt: first.receipt,
    more: fresh.length > 1 && life.state !== 'REVIEW',
  };
}

function paymentsOf(
  answer: Extract<ProviderEvent, { outcome: 'succeeded' | 'reversed' }>,
  attemptNo: number,
  life: TransactionLife,
  history: History,
  onePayment: boolean,
): ProviderPayment[] {
  const payments = [
    { receipt: answer.receipt, reversed: answer.outcome === 'reversed' },
    ...(answer.otherPayments ?? []),
  ];
  const [only, ...others] = payments;
  const isSettledByPeople =
    life.paidAttemptNo === attemptNo &&
    history.attempts.some((attempt) => attempt.attemptNo === attemptNo && attempt.endedBy === 'settled');
  // People may have recorded another receipt, and so may an earlier answer: a single payment is that one.
  const recorded = isSettledByPeople || onePayment ? recordedReceipt(attemptNo, life, history) : null;
  return only && others.length === 0 && recorded !== null ? [{ ...only, receipt: recorded }] : payments;
}

function recordedReceipt(attemptNo: number, life: TransactionLife, { duplicatePayment }: History): string | null {
  if (life.paidAttemptNo === attemptNo) return life.receiptNumber;
  return duplicatePayment.find((payment) => payment.attemptNo === attemptNo)?.receiptNumber ?? null;
}

function isUpdate(
  { receipt, reversed }: ProviderPayment,
  attemptNo: number,
  life: TransactionLife,
  history: History,
  paymentStands: boolean,
): boolean {
  if (life.paidAttemptNo === attemptNo && life.receiptNumber === receipt)
    return reversed && (life.state === 'COMPLETE' || paymentStands);
  const again = history.duplicatePayment.find(
    (payment) => payment.receiptNumber === receipt && payment.attemptNo === attemptNo,
  );
  if (again) return reversed && !again.unwound;
  const attempt = history.attempts.find((one) => one.attemptNo === attemptNo);
  const isOpen = !SETTLED.has(life.state) && (attempt === undefined || !isFinalAttempt(attempt.state));
  // Paid and returned unnoticed: nothing to post, unless it is the payment itself.
  return !reversed || isOpen;
}

function tellingOf(
  answer: Extract<ProviderEvent, { outcome: 'succeeded' | 'reversed' }>,
  { receipt, reversed }: ProviderPayment,
): ProviderEvent {
  const publicName = answer.publicName ?? null;
  if (reversed)
    return {
      outcome: 'reversed',
      receipt,
      publicName,
      detail: answer.outcome === 'reversed' ? answer.detail : 'one of several payments came back',
    };
  if (answer.outcome === 'succeeded') return { ...answer, receipt };
  return { outcome: 'succeeded', receipt, publicName };
}
